// `taskroom explain`: prints what is declared of a key of a task, a setting or a command.
import { choreFile } from '../../core/chore/chore.ts';
import { agentFile } from '../../core/config/agent-config.ts';
import { ROOM } from '../../core/config/room-config.ts';
import { settingRows } from '../../core/config/setting.ts';
import { suggest } from '../../core/document/suggest.ts';
import { RoomError } from '../../core/errors.ts';
import { KINDS } from '../../core/task/key-kinds.ts';
import { factsOf, KNOWN_KEYS, type TaskKey } from '../../core/task/task-keys.ts';
import type { CommandModule } from '../command.ts';
import type { Paint } from '../paint.ts';
import { helpOf } from '../parse-command.ts';

interface Explained {
  where: string; // The file it stands in; `command` for one of taskroom's own.
  name: string;
  about: string;
  takes: string | null; // What it takes; null for a command.
  default: string | null; // Null where leaving it out has no value of its own.
  who: string | null;
  example: string | null;
}

const FILES = [
  ['room.yaml', () => ROOM],
  ['agents/<id>/agent.json', () => agentFile().all],
  ['chores/<name>.md', () => choreFile()],
] as const;

/** Texts without the links of the pages that they also stand in. */
const plain = (text: string) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');

function explainKey(name: TaskKey): Explained {
  const { kind, accepts, writtenBy } = factsOf(name);
  const { takes, otherwise } = KINDS[kind];
  const value = /`([^`]+)`/.exec(accepts)?.[1] ?? null;
  return {
    ...{ where: 'front matter of a task', name, about: plain(accepts), takes, default: plain(otherwise) },
    ...{ who: plain(writtenBy), example: value && `${name}: ${value}` },
  };
}

function explainSettings(): Explained[] {
  return FILES.flatMap(([where, schema]) =>
    settingRows(schema()).map(({ key, takes, fallback, about }) => {
      const value = typeof fallback === 'string' ? fallback : (JSON.stringify(fallback) ?? null);
      const example = value === null ? null : asYaml(key.split('.'), value);
      return {
        where,
        name: key,
        about: plain(about),
        takes,
        default: value,
        who: `you, in ${where}`,
        example,
      };
    }),
  );
}

const asYaml = (path: readonly string[], value: string) =>
  path
    .map((key, depth) => `${'  '.repeat(depth)}${key}:${depth === path.length - 1 ? ` ${value}` : ''}`)
    .join('\n');

function textOf({ where, name, about, takes, default: usual, who, example }: Explained, paint: Paint) {
  if (takes === null) return about;
  const rows = [
    ['takes', takes],
    ['default', usual ?? 'none'],
    ['set by', who ?? ''],
  ].map(([label = '', text]) => `  ${paint('dim', label.padEnd(8))}${text}`);
  const shown = example === null ? [] : ['', ...example.split('\n').map((line) => `    ${line}`)];
  return [`${paint('bold', name)}  ${paint('dim', where)}`, `  ${about}`, ...rows, ...shown, ''].join('\n');
}

export const command: CommandModule = {
  about:
    'Prints what a key of a task, a setting or a command is: what it takes, its default, who may set it.',
  arguments: [{ name: 'word', about: 'a key of front matter, a setting such as limits.total, or a command' }],
  options: [],
  examples: {
    'taskroom explain due': 'a key of a task',
    'taskroom explain limits.total': 'a setting of room.yaml',
    'taskroom explain merge': 'a word that is a setting and a command: both',
  },
  notes:
    'With --json: {"explained":[{"where","name","about","takes","default","who","example"}]}. It needs no room.',
  async run({ words: [word = ''], commands, terminal, json, paint }) {
    const settings = explainSettings();
    const keys = KNOWN_KEYS.filter((key) => key === word).map(explainKey);
    const set = settings.filter(({ name }) => name === word || name.startsWith(`${word}.`));
    const called = commands
      .filter(({ name }) => name === word)
      .map(async ({ name, load }) => ({
        ...{ where: 'command', name, about: helpOf(name, (await load()).command).trimEnd() },
        ...{ takes: null, default: null, who: null, example: null },
      }));
    const explained = [...keys, ...set, ...(await Promise.all(called))];
    if (explained.length === 0) {
      const known = [KNOWN_KEYS, settings.map(({ name }) => name), commands.map(({ name }) => name)];
      const near = suggest(word, known.flat());
      const hint = `${near === null ? '' : `did you mean ${near}? `}keys are listed in docs/spec.md, settings in docs/config.md and docs/chores.md, commands by: taskroom help --all`;
      throw new RoomError('bad_input', `unknown key, setting or command ${JSON.stringify(word)}`, hint);
    }
    if (json) terminal.write(`${JSON.stringify({ explained })}\n`);
    else terminal.write(`${explained.map((each) => textOf(each, paint)).join('\n')}\n`);
  },
};
