// The documentation held to the code: links lead somewhere, and tables that list what code lists are equal to it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { WAKES } from '../src/core/rules/decide.ts';
import { SECTION_NAMES } from '../src/core/task/body/sections.ts';
import { KINDS } from '../src/core/task/key-kinds.ts';
import { factsOf, KNOWN_KEYS } from '../src/core/task/task-keys.ts';
import { DIALECTS, toolsFor } from '../src/operations/tools/tool-list.ts';
import { OPEN_ROUTES } from '../src/server/open-routes.ts';
import { ROUTES } from '../src/server/routes.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The text without fenced code and code spans, where nothing is a link. */
function withoutCode(text: string): string {
  return text.replace(/^(`{3,}|~{3,}).*\n[\s\S]*?^\1[`~]*[ \t]*$/gm, '').replace(/(`+)[^`][\s\S]*?\1/g, '');
}

/** Targets of the relative links and pictures of a page. */
function relativeLinks(text: string): string[] {
  const targets = [...withoutCode(text).matchAll(/\]\(<?([^)\s>]+)>?\)/g)].map((match) => match[1]!);
  return targets.filter((target) => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target));
}

/** Anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const outside = text.replace(/^(`{3,}|~{3,}).*\n[\s\S]*?^\1[`~]*[ \t]*$/gm, '');
  const headings = [...outside.matchAll(/^#{1,6} +(.*?) *#*$/gm)].map((match) => match[1]!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  );
}

/** What is wrong with the links of a page; `load` gives a file's text, '' for a folder, null for nothing. */
function brokenLinks(page: string, text: string, load: (path: string) => string | null): string[] {
  return relativeLinks(text).filter((target) => {
    const [path = '', anchor] = target.split('#');
    const there = path === '' ? text : load(join(dirname(page), decodeURIComponent(path)));
    return there === null || (anchor !== undefined && !anchorsOf(there).has(anchor));
  });
}

function load(path: string): string | null {
  if (!existsSync(join(ROOT, path))) return null;
  return path.endsWith('.md') ? read(path) : '';
}

/** Rows of the first table below a heading, header and rule left out, as cells. */
function tableBelow(text: string, heading: string): string[][] {
  const lines = text.split('\n');
  const start = lines.indexOf(heading);
  const first = start < 0 ? -1 : lines.findIndex((line, at) => at > start && line.startsWith('|'));
  if (first < 0) throw new Error(`no table below "${heading}"`);
  const end = lines.findIndex((line, at) => at > first && !line.startsWith('|'));
  const rows = lines.slice(first + 2, end < 0 ? lines.length : end);
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

/** The words in code spans of a cell. */
const words = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);

/** Rows of the union in core/events.ts, from its source text: type, fields in snake_case, and its comment. */
function eventsIn(source: string): string[][] {
  const plain = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
  const fieldsIn = (text: string) => [...text.matchAll(/(?:^|[;{])\s*(\w+)\??:/g)].map((match) => match[1]!);
  const shared = new Map<string, string[]>();
  for (const [, name, above, body] of plain(source).matchAll(
    /interface (\w+)(?: extends (\w+))? \{([^{}]*)\}/g,
  ))
    shared.set(name!, [...(shared.get(above ?? '') ?? []), ...fieldsIn(body!)]);
  const start = source.indexOf('export type RoomEvent =');
  const union = source.slice(start, source.indexOf('export type RoomEventType'));
  const members = [...union.matchAll(/(?:^ +\/\*\* (.*) \*\/\n)?^ +\| (?=[({])((?:.*\n)(?: {4,}.*\n)*)/gm)];
  return members.map(([, about = '', text = '']) => {
    const member = plain(text);
    const more = [...member.matchAll(/& (?:Omit<)?(Of\w+|SyncProgress)(?:, '(\w+)')?/g)].flatMap(
      ([, name, without]) => shared.get(name!)!.filter((field) => field !== without),
    );
    const fields = [...more, ...fieldsIn(member)].filter((field) => field !== 'type');
    const snake = (word: string) => word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const type = /type: '([^']+)'/.exec(member)![1]!;
    return [
      `\`${type}\``,
      fields.map((field) => `\`${snake(field)}\``).join(', '),
      about.replace(/`\w+`/g, snake),
    ];
  });
}

/** The words of a union of texts in a source, such as `type TurnReason`. */
function unionIn(source: string, name: string): string[] {
  const body = new RegExp(`export type ${name} =([^;]*);`).exec(source.replace(/\/\/.*/g, ''))?.[1] ?? '';
  return [...body.matchAll(/'([^']+)'/g)].map((match) => match[1]!);
}

describe('links', () => {
  test.each(PAGES)('of %s lead somewhere', (page) => expect(brokenLinks(page, read(page), load)).toEqual([]));

  test('that lead nowhere are found', () => {
    const text =
      '# One\n[a](b.md) [c](b.md#two) [d](#one) [e](#no) [f](https://x.y/z.md) `[g](h.md)` ![i](j.svg)';
    const files = new Map([['docs/b.md', '# Two?\n```\n# no\n```\n']]);
    const nothing = brokenLinks('docs/a.md', text, () => null);
    expect(nothing).toEqual(['b.md', 'b.md#two', '#no', 'j.svg']);
    expect(brokenLinks('docs/a.md', text, (path) => files.get(path) ?? null)).toEqual(['#no', 'j.svg']);
  });
});

/** Tables that code declares, by how their heads begin. */
const DECLARED =
  /^\| (?:key \| (?:type|takes)|address \| what it does|tool \| does|dialect \| tool|event \| fields|stays on the room)/;

/** A page without what is made of declarations and of runs. */
function writtenByHand(text: string): string {
  const blocks = /<!-- (matrix|screen|keys|fields)\b[\s\S]*?<!-- \/\1 -->/g;
  const [prose = ''] = text.split('<!-- from here on: the help');
  return prose.replace(blocks, '').replace(/(?:^\|.*\n)+/gm, (table) => (DECLARED.test(table) ? '' : table));
}

describe('architecture.md', () => {
  const text = read('docs/architecture.md');

  test('names what stands in the file that it names', () => {
    const said = [...text.matchAll(/`(\w+)` (?:in |\()`([\w/-]+\.ts)`/g)];
    expect(said.length).toBeGreaterThan(3);
    const wrong = said.filter(([, name, file]) => !new RegExp(`\\b${name}\\b`).test(read(`src/${file}`)));
    expect(wrong.map(([words]) => words)).toEqual([]);
  });

  test('has at most 250 lines', () => expect(text.split('\n').length).toBeLessThanOrEqual(250));
});

describe('the guides', () => {
  test('have at most 35,000 words beside what is declared and measured', () => {
    const guides = PAGES.filter((page) => !/^docs\/(?:decisions\/|performance\.md)/.test(page));
    const counts = guides.map((page) => writtenByHand(read(page)).match(/\S+/g)?.length ?? 0);
    expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(35_000);
  });

  test('are counted without tables that are declared', () => {
    const text =
      'One.\n\n| event | fields |\n|---|---|\n| a | b |\n\n| x | y |\n|---|---|\n\n<!-- keys: k -->\nk\n<!-- /keys -->\nTwo.\n';
    expect(writtenByHand(text).match(/\w+/g)).toEqual(['One', 'x', 'y', 'Two']);
  });
});

describe('operating.md', () => {
  test('lists every event with what its declaration says', () => {
    const source = read('src/core/chore-shapes.ts') + read('src/core/events.ts');
    const rows = eventsIn(source);
    const types = [...source.matchAll(/type: '(\w+\.\w+)'/g)].map(([, type]) => `\`${type}\``);
    expect(rows.map(([type]) => type)).toEqual(types);
    expect(rows.filter(([, , about]) => about === '')).toEqual([]);
    holdTable('docs/operating.md', '### Events', ['event', 'fields', 'what happened'], rows);
  });

  test('is made of what the source says', () => {
    const source = `interface OfA { id: string; name: string }
      export type RoomEvent =
      /** { type: 'no' } */
      | { type: 'a.b' }
      /** It was, by \`tookMs\`. */
      | ({ type: 'e.f'; by: string } & Omit<OfA, 'name'>)
      | { type: 'c.d';
          /** Not a field: x. */
          tookMs: number;
          problems: readonly Problem[];
        };
      export type RoomEventType = 1;`;
    expect(eventsIn(source.replace(/^ {4}/gm, ''))).toEqual([
      ['`a.b`', '', "{ type: 'no' }"],
      ['`e.f`', '`id`, `by`', 'It was, by `took_ms`.'],
      ['`c.d`', '`took_ms`, `problems`', ''],
    ]);
  });
});

describe('spec.md', () => {
  const spec = read('docs/spec.md');

  test('says of every front matter key what its declaration says', () => {
    const rows = KNOWN_KEYS.map((key) => {
      const { kind, accepts, writtenBy } = factsOf(key);
      const { takes, otherwise } = KINDS[kind];
      return `| \`${key}\` | ${takes} | ${otherwise} | ${accepts} | ${writtenBy} |\n`;
    });
    const wanted = spec.replace(/(?<=^\| key \| type \|.*\n.*\n)(?:\|.*\n)+/m, () => rows.join(''));
    if (process.env.UPDATE_DOCS) writeFileSync(join(ROOT, 'docs/spec.md'), wanted);
    else expect(spec).toBe(wanted);
  });

  test('lists the sections in their order', () => {
    const sections = tableBelow(spec, '## Sections').flatMap(([name = '']) => words(name));
    expect(sections).toEqual([...SECTION_NAMES]);
  });
});

/** The first table below a heading is what `rows` say; UPDATE_DOCS=1 writes it. */
function holdTable(page: string, heading: string, head: readonly string[], rows: readonly string[][]): void {
  const text = read(page);
  const at = text.indexOf('\n|', text.indexOf(`\n${heading}\n`)) + 1;
  const end = text.slice(at).search(/^(?!\|)/m);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
      .replace(/\| --- (?=\|)/g, '|---')
      .replace('|--- |', '|---|'),
  );
  const wanted = `${text.slice(0, at)}${lines.join('')}${text.slice(at + end)}`;
  if (process.env.UPDATE_DOCS) writeFileSync(join(ROOT, page), wanted);
  else expect(text).toBe(wanted);
}

test('http.md lists every route with what it takes', () => {
  const inputsOf = ({ query, body }: (typeof ROUTES)[number]) =>
    Object.keys({ ...shapeOf(query), ...shapeOf(body) }).map((name) => `\`${name}\``);
  const shapeOf = (schema: unknown) => (schema as { shape?: object } | undefined)?.shape;
  const rows = ROUTES.filter(({ needs }) => needs !== 'worker')
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.method < b.method ? -1 : 1))
    .map((route) => [
      `\`${route.method.toUpperCase()} ${route.path}\``,
      route.about,
      inputsOf(route).join(', '),
    ]);
  const open = OPEN_ROUTES.map(({ path, about }) => [`\`GET ${path}\``, about, '']);
  holdTable('docs/http.md', '## Routes', ['address', 'what it does', 'takes'], [...rows, ...open]);
});

describe('mcp.md', () => {
  const all = { access: 'full', programs: true } as const;

  test('lists every tool with who has it', () => {
    const rows = toolsFor(all).map(({ name, description, level, programs }) => [
      `\`${name}\``,
      description,
      programs ? `${level}, with \`permissions\` to run programs` : level,
    ]);
    holdTable('docs/mcp.md', '## The tools', ['tool', 'does', 'access'], rows);
  });

  test('lists the tools of the other dialects', () => {
    const rows = DIALECTS.filter((dialect) => dialect !== 'taskroom').flatMap((dialect) =>
      toolsFor(all, dialect).map(({ name, description, level }) => [
        `\`${dialect}\``,
        `\`${name}\``,
        description,
        level,
      ]),
    );
    holdTable('docs/mcp.md', '### Other names', ['dialect', 'tool', 'does', 'access'], rows);
  });
});

describe('loop.md', () => {
  const text = read('docs/loop.md');

  test('lists every way a turn can end', () => {
    const reasons = tableBelow(text, '## What the end of a turn means').map(
      ([reason = '']) => words(reason)[0],
    );
    const known = unionIn(read('src/core/rules/turn.ts'), 'TurnReason');
    expect(known).toContain('ok');
    expect(reasons.toSorted()).toEqual(known.sort());
  });

  test('lists every reason for a turn', () => {
    const at = text.indexOf('| reason | comes from |');
    const reasons = tableBelow(`# reasons\n${text.slice(at)}`, '# reasons').flatMap(([cell = '']) =>
      words(cell),
    );
    expect(reasons.toSorted()).toEqual([...WAKES].sort());
  });
});
