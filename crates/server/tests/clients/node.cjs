// What programs do with the Node client: typed and custom objects, patches, watches, errors.
const assert = require('node:assert');
const k8s = require('@kubernetes/client-node');

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const custom = config.makeApiClient(k8s.CustomObjectsApi);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const WIDGETS = { group: 'example.com', version: 'v1', namespace: 'default', plural: 'widgets' };

const widget = (name, size) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'default' },
  spec: { size },
});

const refused = (code, promise) => assert.rejects(promise, (error) => error.code === code);

async function typedObjects() {
  const namespace = 'default';
  const body = { metadata: { name: 'm' }, data: { a: '1' } };
  const made = await core.createNamespacedConfigMap({ namespace, body });
  made.data.a = '2';
  const replaced = await core.replaceNamespacedConfigMap({ name: 'm', namespace, body: made });
  assert.deepEqual(replaced.data, { a: '2' });
  await refused(404, core.readNamespacedConfigMap({ name: 'missing', namespace }));
  await refused(409, core.createNamespacedConfigMap({ namespace, body }));
  assert.equal((await core.listNamespacedConfigMap({ namespace, limit: 1 })).items.length, 1);
  await core.deleteNamespacedConfigMap({ name: 'm', namespace });
}

async function customObjects() {
  const made = await custom.createNamespacedCustomObject({ ...WIDGETS, body: widget('w', 1) });
  made.spec.size = 2;
  const replaced = await custom.replaceNamespacedCustomObject({ ...WIDGETS, name: 'w', body: made });
  assert.equal(replaced.metadata.generation, 2);
  const invalid = { ...made, metadata: replaced.metadata, spec: { size: -1 } };
  await refused(422, custom.replaceNamespacedCustomObject({ ...WIDGETS, name: 'w', body: invalid }));
  const applied = await objects.patch(
    widget('applied', 3), undefined, undefined, 'tests', true, k8s.PatchStrategy.ServerSideApply);
  assert.equal(applied.spec.size, 3);
  assert.equal((await objects.list('example.com/v1', 'Widget', 'default')).items.length, 2);
}

async function watches() {
  const path = '/apis/example.com/v1/namespaces/default/widgets';
  const events = [];
  await new Promise((resolve, reject) => {
    new k8s.Watch(config)
      .watch(path, { timeoutSeconds: 1 }, (type, object) => events.push(`${type} ${object.metadata.name}`),
        (error) => (error ? reject(error) : resolve()))
      .catch(reject);
  });
  assert.deepEqual(events.sort(), ['ADDED applied', 'ADDED w']);
}

async function main() {
  await typedObjects();
  await customObjects();
  await watches();
  console.log('done');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
