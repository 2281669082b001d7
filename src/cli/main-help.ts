// The help of the program, made from the command table and the exit codes.
import { type CommandEntry, GLOBAL_OPTIONS } from './command.ts';
import { COMMANDS } from './command-table.ts';
import { EXIT_CODE_MEANINGS } from './exit-codes.ts';

const HEADINGS = {
  Room: 'The room',
  Tasks: 'Tasks',
  Reports: 'Writing into a task',
  Turns: 'Turns',
  Mirrors: 'Mirrors and chores',
} as const satisfies Record<CommandEntry['group'], string>;

const rows = (pairs: readonly (readonly [string, string])[], width: number): string =>
  pairs.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`).join('\n');

/** @param all whether the commands that the first week does without are there, too */
export function mainHelp(all: boolean): string {
  const groups = (Object.keys(HEADINGS) as (keyof typeof HEADINGS)[]).map((group) => {
    const list = COMMANDS.filter((entry) => entry.group === group && (all || entry.isFirst));
    return `${HEADINGS[group]}:\n${rows(
      list.map(({ name, summary }) => [name, summary] as const),
      10,
    )}`;
  });
  const codes = EXIT_CODE_MEANINGS.map(([code, meaning]) => [String(code).padStart(3), meaning] as const);
  const options = [
    ...GLOBAL_OPTIONS.map(([flags, about]) => [flags, about] as const),
    ['-h, --help', 'show help, also of a command: taskroom list --help'] as const,
    ['-V, --version', 'print the version'] as const,
  ];
  const examples = [
    ['taskroom init ~/room && taskroom up --room ~/room', 'make a room and run it'],
    ['taskroom new "Fix the build" "CI fails on main."', 'write a task; a running room takes it up'],
    ['taskroom list', 'see how things stand'],
  ] as const;
  return [
    'Usage: taskroom <command> [options]',
    'Turns a folder of markdown tasks into agent work.',
    ...groups,
    `Options of every command:\n${rows(options, 14)}`,
    ...(all ? [] : ['More commands, for mirrors, plans, agents and scripts: taskroom help --all']),
    'A task is named by its title, its file name, its id or a unique prefix of the id. Inside a turn TASKROOM_TASK names the\ntask, and <task> may be left out.',
    `Examples:\n${examples.map(([line, about]) => `  ${line}\n      ${about}`).join('\n')}`,
    `Exit codes:\n${rows(codes, 3)}\n`,
  ].join('\n\n');
}
