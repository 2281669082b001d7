// A strict JSON reader that knows where everything stands: jsonc-parser walks the text, JSON.parse gives the value.
// Accepts exactly what JSON.parse accepts, less duplicate keys and nesting beyond a depth.
import { type JSONPath, type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';

export interface JsonPlace {
  /** Offset of the key (of the value itself in a list and at the root). */
  key: number;
  value: number;
}

export type JsonReading =
  | { ok: true; value: unknown /** By JSON text of the path. */; places: Map<string, JsonPlace> }
  | { ok: false; offset: number; message: string; expected?: string };

type Fault = Omit<Extract<JsonReading, { ok: false }>, 'ok'>;

/** Ends the walk: the parser goes on after a mistake, and calls itself for each level of nesting. */
class FaultFound extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/**
 * Reads JSON text.
 * @param maxDepth Deepest nesting of lists and objects.
 */
export function readJson(text: string, maxDepth: number): JsonReading {
  const places = new Map<string, JsonPlace>();
  try {
    visit(text, createVisitor(text, maxDepth, places), { disallowComments: true });
  } catch (error) {
    if (!(error instanceof FaultFound)) throw error;
    return { ok: false, ...error.fault };
  }
  return { ok: true, value: JSON.parse(text), places };
}

const A_KEY = 'a key in double quotes';
const A_VALUE = 'a value: text in double quotes, a number, true, false, null, { or [';

/** Fills `places`. @throws FaultFound for the first thing that is wrong, from within `visit` */
function createVisitor(text: string, maxDepth: number, places: Map<string, JsonPlace>): JSONVisitor {
  const closers: string[] = [];
  let key: number | null = null;
  let expected = A_VALUE;

  const startValue = (offset: number, path: JSONPath): void => {
    if (path.length > maxDepth)
      throw new FaultFound({ offset, message: `nested deeper than ${maxDepth} levels` });
    places.set(JSON.stringify(path), { key: key ?? offset, value: offset });
    key = null;
  };
  const endValue = (): void => {
    const closer = closers.at(-1);
    expected = closer === undefined ? 'nothing more' : `"," or "${closer}"`;
  };
  const open = (closer: string, offset: number, path: JSONPath): void => {
    startValue(offset, path);
    closers.push(closer);
    expected = closer === '}' ? A_KEY : A_VALUE;
  };
  const close = (offset: number): void => {
    // Called at the end of a text that is cut off, too.
    if (text[offset] !== closers.at(-1)) return;
    closers.pop();
    endValue();
  };
  return {
    onObjectProperty(name, offset, _length, _line, _column, path) {
      if (places.has(JSON.stringify([...path(), name])))
        throw new FaultFound({ offset, message: `key ${JSON.stringify(name)} stands here twice` });
      key = offset;
      expected = '":" after the key';
    },
    onLiteralValue(_value, offset, _length, _line, _column, path) {
      startValue(offset, path());
      endValue();
    },
    onObjectBegin: (offset, _length, _line, _column, path) => open('}', offset, path()),
    onArrayBegin: (offset, _length, _line, _column, path) => open(']', offset, path()),
    onObjectEnd: close,
    onArrayEnd: close,
    onSeparator(separator) {
      expected = separator === ',' && closers.at(-1) === '}' ? A_KEY : A_VALUE;
    },
    onError(code, offset) {
      throw new FaultFound(toFault(text, offset, printParseErrorCode(code), expected));
    },
  };
}

function toFault(text: string, offset: number, code: string, expected: string): Fault {
  if (code === 'UnexpectedEndOfNumber')
    return { offset, message: 'a number that is not finished', expected: 'a digit' };
  if (/^(?:UnexpectedEndOfString|Invalid(?:EscapeCharacter|Unicode|Character))$/.test(code)) {
    const message = 'a text that is not closed, or holds a line break or a bad escape';
    return { offset, message, expected: 'text in double quotes' };
  }
  // A word as a whole, such as `True`; of anything else the first character.
  const found = /^(?:[A-Za-z][\w.]{0,30}|.)/su.exec(text.slice(offset))?.[0];
  if (found === undefined) return { offset, message: 'the file ends here', expected };
  if (/[}\]]/.test(found) && /,\s*$/.test(text.slice(0, offset)))
    return { offset, message: `"${found}" right after a comma`, expected };
  const isAfterEnd = expected === 'nothing more';
  return {
    offset,
    message: isAfterEnd ? 'text after the end' : `unexpected ${JSON.stringify(found)}`,
    expected,
  };
}
