// `taskroom completion`: prints completions for a shell, and the names they ask for.
import { RoomError } from '../../../../core/errors.ts';
import type { CommandModule } from '../../command.ts';
import { completionScript, SHELLS } from '../../shell-completions.ts';

export const command: CommandModule = {
  about: 'Prints completions of commands, options and names of tasks for your shell.',
  arguments: [{ name: 'shell', about: 'bash, zsh or fish; names for what they ask: the names of the tasks' }],
  options: [],
  examples: [
    ['eval "$(taskroom completion bash)"', 'bash: in ~/.bashrc'],
    ['source <(taskroom completion zsh)', 'zsh: in ~/.zshrc, after compinit'],
    ['taskroom completion fish > ~/.config/fish/completions/taskroom.fish', 'fish'],
  ],
  async run({ words, commands, terminal, openRoom }) {
    if (words[0] === 'names') {
      const { tasks, caller } = await openRoom({ readOnly: true });
      // A name with a line end would be two.
      const { names } = await tasks.call('names', {}, caller, true);
      const fitting = names.filter((name) => !/[\r\n]/.test(name));
      terminal.write(fitting.map((name) => `${name}\n`).join(''));
      return;
    }
    const shell = SHELLS.find((each) => each === words[0]);
    if (shell === undefined)
      throw new RoomError('bad_input', `no completions for ${JSON.stringify(words[0])}`, {
        hint: `known: ${SHELLS.join(', ')}`,
      });
    const loaded = commands.map(async ({ name, summary, load }) => {
      const { command: module } = await load();
      return { name, summary, module };
    });
    terminal.write(completionScript(shell, await Promise.all(loaded)));
  },
};
