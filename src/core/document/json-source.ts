// A strict JSON reader that knows where everything stands, because the messages of JSON.parse name a place
// only sometimes. Accepts exactly what JSON.parse accepts, less duplicate keys and nesting beyond a depth.

export interface JsonPlace {
  /** Offset of the key (of the value itself in a list and at the root). */
  key: number;
  value: number;
}

export type JsonReading =
  | { ok: true; value: unknown /** By JSON text of the path. */; places: Map<string, JsonPlace> }
  | { ok: false; offset: number; message: string; expected?: string };

class JsonFault extends Error {
  readonly offset: number;
  readonly expected: string | undefined;
  constructor(offset: number, message: string, expected?: string) {
    super(message);
    this.offset = offset;
    this.expected = expected;
  }
}

const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_$][\w$]*/y;
const SPACE = /[ \t\r\n]*/y;
const LITERALS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/**
 * Reads JSON text.
 * @param maxDepth Deepest nesting of lists and objects.
 */
export function readJson(text: string, maxDepth: number): JsonReading {
  const places = new Map<string, JsonPlace>();
  const reader = new JsonReader(text, places, maxDepth);
  try {
    return { ok: true, value: reader.readAll(), places };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { offset, message, expected } = error;
    return expected === undefined ? { ok: false, offset, message } : { ok: false, offset, message, expected };
  }
}

class JsonReader {
  private readonly text: string;
  private readonly places: Map<string, JsonPlace>;
  private readonly maxDepth: number;
  private at: number;

  constructor(text: string, places: Map<string, JsonPlace>, maxDepth: number) {
    this.text = text;
    this.places = places;
    this.maxDepth = maxDepth;
    this.at = 0;
  }

  readAll(): unknown {
    this.skipSpace();
    const value = this.readValue([], this.at);
    this.skipSpace();
    if (this.at < this.text.length) throw this.fault('text after the end', 'nothing more');
    return value;
  }

  private readValue(path: (string | number)[], key: number): unknown {
    if (path.length > this.maxDepth) throw this.fault(`nested deeper than ${this.maxDepth} levels`);
    this.places.set(JSON.stringify(path), { key, value: this.at });
    const char = this.text[this.at];
    if (char === '{') return this.readObject(path);
    if (char === '[') return this.readList(path);
    if (char === '"') return this.readString();
    const number = this.take(NUMBER);
    if (number !== null) return Number(number);
    const start = this.at;
    const word = this.take(WORD);
    if (word !== null && Object.hasOwn(LITERALS, word)) return LITERALS[word];
    this.at = start;
    throw this.fault(this.foundHere(), 'a value: text in double quotes, a number, true, false, null, { or [');
  }

  private readObject(path: (string | number)[]): Record<string, unknown> {
    // Built from entries, so that `__proto__` is a key like any other.
    const entries = new Map<string, unknown>();
    this.readItems('}', 'a key in double quotes', () => {
      const start = this.at;
      if (this.text[start] !== '"') throw this.fault(this.foundHere(), 'a key in double quotes');
      const key = this.readString();
      if (entries.has(key)) throw new JsonFault(start, `key ${JSON.stringify(key)} stands here twice`);
      this.skipSpace();
      if (this.text[this.at] !== ':') throw this.fault(this.foundHere(), '":" after the key');
      this.at += 1;
      this.skipSpace();
      entries.set(key, this.readValue([...path, key], start));
    });
    return Object.fromEntries(entries);
  }

  private readList(path: (string | number)[]): unknown[] {
    const items: unknown[] = [];
    this.readItems(']', 'a value', () => items.push(this.readValue([...path, items.length], this.at)));
    return items;
  }

  private readItems(close: string, item: string, readItem: () => void): void {
    this.at += 1;
    this.skipSpace();
    if (this.text[this.at] === close) {
      this.at += 1;
      return;
    }
    for (;;) {
      readItem();
      this.skipSpace();
      const char = this.text[this.at];
      if (char !== ',' && char !== close) throw this.fault(this.foundHere(), `"," or "${close}"`);
      this.at += 1;
      if (char === close) return;
      this.skipSpace();
      if (this.text[this.at] === close) throw this.fault(`"${close}" right after a comma`, item);
    }
  }

  private readString(): string {
    const raw = this.take(STRING);
    if (raw !== null) return JSON.parse(raw) as string;
    throw this.fault(
      'a text that is not closed, or holds a line break or a bad escape',
      'text in double quotes',
    );
  }

  private take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (!match) return null;
    this.at = pattern.lastIndex;
    return match[0];
  }

  private skipSpace(): void {
    this.take(SPACE);
  }

  private foundHere(): string {
    if (this.at >= this.text.length) return 'the file ends here';
    const char = String.fromCodePoint(this.text.codePointAt(this.at)!);
    return `unexpected ${JSON.stringify(char)}`;
  }

  private fault(message: string, expected?: string): JsonFault {
    return new JsonFault(this.at, message, expected);
  }
}
