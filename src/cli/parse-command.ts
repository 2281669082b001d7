// The parse of a command line, and the help: commander over a command's description.
import { Command, CommanderError, Option } from 'commander';
import { RoomError } from '../core/errors.ts';
import type { CommandModule, OptionValue, Parsed } from './command.ts';
import { GLOBAL_OPTIONS, readFlags } from './command.ts';

const HELP_WIDTH = 100;

/** Parses the words after the command's name; `help` is the text to print where that was asked for.
 * @throws RoomError `bad_input` that says what is off and what was most likely meant */
export function parseCommand(
  name: string,
  module: CommandModule,
  argv: readonly string[],
): Parsed | { help: string } {
  const command = build(name, module);
  const held = holdTexts(argv);
  try {
    command.parse(held.argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return { help: helpOf(name, module) };
    throw badInput(error, name, argv);
  }
  const values = new Map<string, OptionValue>();
  for (const [flags] of [...module.options, ...GLOBAL_OPTIONS]) {
    const { long } = readFlags(flags);
    const value = readValue(command, long);
    if (Array.isArray(value)) values.set(long, value.map(held.free));
    else if (value !== undefined) values.set(long, typeof value === 'string' ? held.free(value) : value);
  }
  return { words: command.args.map(held.free), values };
}

export function helpOf(name: string, module: CommandModule): string {
  const rows = Object.entries(module.examples).map(([line, about]) => `  ${line}\n      ${about}`);
  const notes = module.notes === undefined ? '' : `\n${module.notes.trim()}\n`;
  const here = module.hereOnly === undefined ? '' : `\nNot with --url: ${module.hereOnly}.\n`;
  return `${build(name, module).helpInformation()}${notes}${here}\nExamples:\n${rows.join('\n')}\n`;
}

function build(name: string, module: CommandModule): Command {
  const command = new Command(`taskroom ${name}`)
    .description(module.about)
    .exitOverride()
    .configureOutput({
      writeOut: () => {},
      writeErr: () => {},
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
    })
    .configureHelp({ showGlobalOptions: false })
    .helpOption('-h, --help', 'show this help')
    .allowExcessArguments(false);
  for (const spec of module.arguments) {
    const dots = spec.many ? `${spec.name}...` : spec.name;
    command.argument(spec.optional ? `[${dots}]` : `<${dots}>`, spec.about);
  }
  for (const [flags, about, many] of [...module.options, ...GLOBAL_OPTIONS]) {
    const option = new Option(flags, about);
    if (many) option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
    command.addOption(option);
  }
  return command;
}

/** `--no-x` is stored by commander as `x: false`; here it is the option `no-x`. */
function readValue(command: Command, long: string): OptionValue | undefined {
  if (long.startsWith('no-')) return command.getOptionValue(long.slice(3)) === false ? true : undefined;
  const key = long.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return command.getOptionValue(key) as OptionValue | undefined;
}

// A text like "- first" is no option: it passes the parser under a name that can't be taken for one.
function holdTexts(argv: readonly string[]): { argv: string[]; free(word: string): string } {
  const kept: string[] = [];
  const held = argv.map((token) => {
    if (!/^-[\s\S]*\s/.test(token) || /^--[a-z][a-z-]*=/.test(token)) return token;
    return `\u0000${kept.push(token) - 1}`;
  });
  return { argv: held, free: (word) => (word.startsWith('\u0000') ? kept[Number(word.slice(1))]! : word) };
}

function badInput(error: CommanderError, name: string, argv: readonly string[]): RoomError {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const near = /Did you mean (?:one of )?([^?]+)\?/.exec(rest.join(' '))?.[1];
  const dashed = argv.find((token) => /^-[^-]/.test(token) && first.includes(token));
  const hints = [
    near === undefined ? null : `did you mean ${near}?`,
    dashed === undefined ? null : 'a word that begins with a dash goes after --',
    error.code === 'commander.excessArguments' ? 'put quotes around a text with spaces' : null,
    `see: taskroom ${name} --help`,
  ];
  return new RoomError('bad_input', first, {
    hint: hints.filter((hint) => hint !== null).join('; '),
    cause: error,
  });
}
