const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");

const folder = path.join(__dirname, "..");
const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));

test("the files that are packaged exist", () => {
  for (const file of [manifest.main, ...manifest.files.filter((file) => file !== "node_modules")]) {
    assert.ok(fs.existsSync(path.join(folder, file)), file);
  }
});

test("settings and commands of the manifest are those of the code", () => {
  const code = fs.readFileSync(path.join(folder, manifest.main), "utf8");
  for (const { command } of manifest.contributes.commands) {
    assert.ok(code.includes(`"${command}"`), command);
  }
  for (const setting of Object.keys(manifest.contributes.configuration.properties)) {
    assert.ok(code.includes(`"${setting.split(".")[1]}"`), setting);
  }
});

test("the extension starts for the languages that it selects", () => {
  const code = fs.readFileSync(path.join(folder, manifest.main), "utf8");
  const languages = JSON.parse(/const languages = (\[.*\]);/.exec(code)[1]);
  assert.deepStrictEqual(manifest.activationEvents, languages.map((language) => `onLanguage:${language}`));
});
