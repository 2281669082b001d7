// `taskroom completion`: prints completions for a shell, and the names they ask for.
import { RoomError } from '../../core/errors.ts';
import type { CommandEntry, CommandModule, OptionSpec } from '../command.ts';
import { GLOBAL_OPTIONS, readFlags } from '../command.ts';

// The scripts hold commands and options; names of tasks come from `taskroom completion names` when needed.
type CompletedCommand = Pick<CommandEntry, 'name' | 'summary'> & { module: CommandModule };

const SHELLS = ['bash', 'zsh', 'fish'] as const;
const NAMES = 'taskroom completion names 2>/dev/null';
const HELP = ['-h, --help', 'show help'] as const;

/** Commands whose first word is a task; `log` and `kill` take a turn or its task. */
function takingTasks(commands: readonly CompletedCommand[], separator: string): string {
  const takes = ({ module }: CompletedCommand) => ['task', 'turn'].includes(module.arguments[0]?.name ?? '');
  return commands
    .filter(takes)
    .map(({ name }) => name)
    .join(separator);
}

const optionsOf = ({ module }: CompletedCommand) =>
  [...module.options, ...GLOBAL_OPTIONS, HELP].map(([flags]) => `--${readFlags(flags).long}`).join(' ');

function bash(commands: readonly CompletedCommand[]): string {
  const options = commands.map((each) => `    ${each.name}) options='${optionsOf(each)}' ;;`);
  return `# taskroom completions for bash: put  eval "$(taskroom completion bash)"  into ~/.bashrc
_taskroom() {
  local typed=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} options= name
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$typed"))
    return
  fi
  case $command in
${options.join('\n')}
  esac
  if [[ $typed == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$typed"))
    return
  fi
  case $command in
    ${takingTasks(commands, '|')}) ;;
    *) return ;;
  esac
  # What was typed without its quotes; the shell puts them around what it completes.
  typed=\${typed#[\\'\\"]}
  typed=\${typed//\\\\/}
  while IFS= read -r name; do
    if [[ $name == "$typed"* ]]; then COMPREPLY+=("$name"); fi
  done < <(${NAMES})
  compopt -o filenames 2>/dev/null
}
complete -F _taskroom taskroom
`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const options = commands.map((each) => `    ${each.name}) options=(${optionsOf(each)}) ;;`);
  return `#compdef taskroom
# taskroom completions for zsh: put  source <(taskroom completion zsh)  into ~/.zshrc, after compinit
_taskroom() {
  local -a commands options names
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
${options.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    compadd -a options
    return
  fi
  case $words[2] in
    ${takingTasks(commands, '|')})
      names=("\${(@f)$(${NAMES})}")
      compadd -a names
      ;;
  esac
}
compdef _taskroom taskroom
`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const optionLine = ([flags, about]: OptionSpec, where = '') => {
    const { short, long, takesValue } = readFlags(flags);
    const shown = `${short === null ? '' : ` -s ${short}`} -l ${long}${takesValue ? ' -r' : ''}`;
    return `complete -c taskroom${where}${shown} -d ${quoted(about)}`;
  };
  const everywhere = [...GLOBAL_OPTIONS, HELP].map((spec) => optionLine(spec));
  const lines = commands.flatMap(({ name, summary, module }) => [
    `complete -c taskroom -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...module.options.map((spec) => optionLine(spec, ` -n '__fish_seen_subcommand_from ${name}'`)),
  ]);
  return `# taskroom completions for fish: taskroom completion fish > ~/.config/fish/completions/taskroom.fish
complete -c taskroom -f
${[...everywhere, ...lines].join('\n')}
complete -c taskroom -n '__fish_seen_subcommand_from ${takingTasks(commands, ' ')}' -a '(${NAMES})'
`;
}

/** In single quotes, for all three shells. */
const quoted = (text: string) => `'${text.replace(/'/g, '’')}'`;

export const command: CommandModule = {
  about: 'Prints completions of commands, options and names of tasks for your shell.',
  arguments: [{ name: 'shell', about: 'bash, zsh or fish; names for what they ask: the names of the tasks' }],
  options: [],
  examples: {
    'eval "$(taskroom completion bash)"': 'bash: in ~/.bashrc',
    'source <(taskroom completion zsh)': 'zsh: in ~/.zshrc, after compinit',
    'taskroom completion fish > ~/.config/fish/completions/taskroom.fish': 'fish',
  },
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
    terminal.write({ bash, zsh, fish }[shell](await Promise.all(loaded)));
  },
};
