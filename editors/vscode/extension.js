// Starts `sprag lsp` for the folders that are open.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const command = vscode.workspace.getConfiguration("sprag").get("path", "sprag");
  const languages = ["yaml", "json", "go", "rust"];
  client = new LanguageClient(
    "sprag",
    "Sprag",
    { command, args: ["lsp"] },
    { documentSelector: languages.map((language) => ({ scheme: "file", language })) },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(`sprag lsp does not start: ${error.message}. Install sprag, or set "sprag.path".`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

exports.activate = async (context) => {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(vscode.commands.registerCommand("sprag.restart", restart));
  await start();
};

exports.deactivate = stop;
