// Undoes what Linear does to markdown it is given, so that our own text coming back is not a change: bullets, emphasis
// marks, wrapped addresses, escapes, blank lines and numbers of lists. Both sides of a comparison go through it, so it
// may blur a spelling; it never blurs a word. Linear time; code between fences keeps every character.

const FENCE = /^ {0,3}(?:[-+*] +|\d{1,9}[.)] +|> ?)*(`{3,}|~{3,})/;
const BULLET = /^([-+*]|\d{1,9}[.)])(?: |$)(.*)$/;
const RULE = /^(?:(?:- ?){3,}|(?:\* ?){3,}|(?:_ ?){3,})$/;
const UNDERLINE = /^(?:=+|-+)$/;

interface Line {
  text: string;
  kind: 'blank' | 'code' | 'item' | 'heading' | 'rule' | 'quote' | 'table' | 'plain';
}

/** A fence that is open, and what ends it besides its like: the end of the quote or the item it stands in. */
type Fence = { mark: string; inQuote: boolean; indent: number };

/** What is equal after this is the same text to Linear. */
export function normalise(text: string): string {
  const lines: Line[] = [];
  let fence: Fence | null = null;
  const indents: number[] = [];
  for (const raw of text.replace(/\r\n?/g, '\n').split('\n')) {
    if (fence !== null && !isLeft(fence, raw)) {
      const code = fence.inQuote ? raw.replace(/^ {0,3}> ?/, '') : raw;
      const isEnd = code.trim().startsWith(fence.mark) && /^(?:`+|~+)$/.test(code.trim());
      lines.push({ kind: 'code', text: isEnd ? '```' : code.trimEnd() });
      if (isEnd) fence = null;
      continue;
    }
    fence = openFence(raw);
    if (fence !== null)
      lines.push({
        kind: 'code',
        text: `\`\`\`${raw
          .trim()
          .replace(/^[^`~]*[`~]+/, '')
          .trim()}`,
      });
    else addLine(lines, raw, indents);
  }
  return joinLines(lines);
}

function openFence(raw: string): Fence | null {
  const opening = FENCE.exec(raw);
  if (!opening) return null;
  const mark = opening[1]!;
  // Backticks behind it make it code in a line.
  if (mark.startsWith('`') && raw.slice(opening[0].length).includes('`')) return null;
  const indent = opening[0].length - mark.length;
  return {
    mark,
    inQuote: opening[0].includes('>'),
    indent: /[-+*\d]/.test(opening[0].slice(0, indent)) ? indent : 0,
  };
}

function isLeft({ inQuote, indent }: Fence, raw: string): boolean {
  if (inQuote) return !raw.trimStart().startsWith('>');
  return raw.trim() !== '' && widthOf(/^[ \t]*/.exec(raw)![0]) < indent;
}

function addLine(lines: Line[], raw: string, indents: number[]): void {
  const indent = widthOf(/^[ \t]*/.exec(raw)![0]);
  // Runs of blanks go first: what follows may then look around a blank in linear time.
  const text = raw.trim().replace(/[ \t]+/g, ' ');
  if (text === '') return void lines.push({ kind: 'blank', text: '' });
  const last = lines.at(-1);
  if (last?.kind === 'plain' && UNDERLINE.test(text) && isAlone(lines)) {
    lines[lines.length - 1] = { kind: 'heading', text: `${text.startsWith('=') ? '#' : '##'} ${last.text}` };
    return;
  }
  const { prefix, kind, rest } = openContainers(text);
  const depth = kind === 'item' ? depthOf(indent, indents) : '';
  const leaf = spellLeaf(rest);
  // A heading stands apart from what follows, inside a list too.
  const outer = leaf.kind === 'plain' || leaf.kind === 'table' ? (kind ?? leaf.kind) : leaf.kind;
  lines.push({ kind: outer, text: depth + prefix + leaf.text });
  if (kind === null && indent === 0 && last?.kind !== 'item') indents.length = 0;
}

/** Deeper than this nobody writes; a line of nothing but marks must not cost its square. */
const MOST_NESTED = 20;

/** The quotes and list items that begin on this line, and what stands in them. */
function openContainers(text: string): { prefix: string; kind: 'quote' | 'item' | null; rest: string } {
  let prefix = '';
  let kind: 'quote' | 'item' | null = null;
  let rest = text;
  for (let nested = 0; nested < MOST_NESTED && !RULE.test(rest); nested += 1) {
    const item = BULLET.exec(rest);
    if (!item && !rest.startsWith('>')) break;
    kind ??= item ? 'item' : 'quote';
    prefix += item ? (/\d/.test(item[1]!) ? '1. ' : '* ') : '> ';
    rest = item ? item[2]! : rest.slice(1).trimStart();
  }
  return { prefix, kind, rest };
}

function spellLeaf(text: string): Pick<Line, 'kind' | 'text'> {
  if (RULE.test(text)) return { kind: 'rule', text: '---' };
  if (/^#{1,6}(?: |$)/.test(text)) return { kind: 'heading', text: spell(text.replace(/ #+$/, '')) };
  if (text.startsWith('|'))
    return { kind: 'table', text: spell(text.replace(/ ?\| ?/g, '|').replace(/-{2,}/g, '-')) };
  return { kind: 'plain', text: spell(text.replace(/^\[X\](?= |$)/, '[x]')) };
}

/** Whether the last line is a paragraph by itself, and no list or quote goes on in it. */
function isAlone(lines: readonly Line[]): boolean {
  const before = lines.at(-2)?.kind ?? 'blank';
  return before === 'blank' || before === 'heading' || before === 'rule' || before === 'code';
}

function widthOf(space: string): number {
  let width = 0;
  for (const char of space) width += char === '\t' ? 4 - (width % 4) : 1;
  return width;
}

/** Two spaces for each list the item is nested in; `indents` are those of the items it stands under. */
function depthOf(indent: number, indents: number[]): string {
  while (indents.length > 0 && indents.at(-1)! > indent) indents.pop();
  // Up to one column more is the same list: `- a` and ` - b`.
  if (indents.length === 0 || indent > indents.at(-1)! + 1) indents.push(indent);
  return '  '.repeat(indents.length - 1);
}

const spell = (text: string): string =>
  text
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/<((?:https?|mailto):[^\s<>]*)>/g, '$1')
    .replace(/\[([^[\]\s]+)\]\(\1\)/g, '$1')
    .replace(/_/g, '*');

/** Blank lines separate paragraphs; beside anything else, and more than one of them, they say nothing. */
function joinLines(lines: readonly Line[]): string {
  const result: string[] = [];
  let before: Line['kind'] = 'blank';
  let gap = false;
  for (const { kind, text } of lines) {
    if (kind === 'blank') {
      gap = true;
      continue;
    }
    const apart = kind === 'plain' || kind === 'quote' || kind === 'table';
    const wasApart = before === 'plain' || before === 'quote' || before === 'table' || before === 'item';
    if (gap && apart && wasApart) result.push('');
    result.push(text);
    before = kind;
    gap = false;
  }
  // What an open fence leaves at the end.
  while (result.at(-1) === '') result.pop();
  return result.join('\n');
}
