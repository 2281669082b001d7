// What one source file says about the world around it, read from its syntax tree: imports of every form, the kind
// of its exports, how long its functions are, and uses of the process's clock, timers, randomness and environment.
import { parseAst } from 'vitest/node';

export interface ImportFact {
  /** As written; null when it is computed at run time. */
  specifier: string | null;
  /** Names that are taken, null for all of them. */
  names: string[] | null;
}

export interface AmbientUse {
  name: string;
  line: number;
  /** `process.kill`, `process.platform`: the machine, but neither time, chance nor environment. */
  isHarmlessOutsideCore: boolean;
}

export interface FunctionFact {
  /** Of the function, or of the variable or key that holds it; `function` where it has none. */
  name: string;
  line: number;
  /** From its first to its last. */
  lines: number;
}

export interface Facts {
  imports: ImportFact[];
  hasDefaultExport: boolean;
  onlyReexports: boolean;
  ambient: AmbientUse[];
  functions: FunctionFact[];
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

const AMBIENT_CALLS = ['setTimeout', 'setInterval', 'fetch'];
const AMBIENT_MEMBERS: Readonly<Record<string, readonly string[] | 'all'>> = {
  Date: ['now'],
  Math: ['random'],
  performance: 'all',
  crypto: 'all',
  globalThis: [...AMBIENT_CALLS, 'process', 'Date', 'Math', 'crypto', 'performance'],
};
const AMBIENT_PROCESS = ['env', 'hrtime', 'uptime', 'loadEnvFile'];
/** Random names of node:crypto that only Effects may draw. */
const RANDOM_NAMES = /^(random|getRandomValues|generateKey|webcrypto$)/;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function* walk(node: Node): Iterable<Node> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) yield* walk(child);
    }
  }
}

function textOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral' || (node.expressions as Node[]).length > 0) return null;
  return (node.quasis as { value: { cooked: string } }[])[0]?.value.cooked ?? null;
}

function nameOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  return node.type === 'Identifier' ? (node.name as string) : textOf(node);
}

function namesTaken(specifiers: readonly Node[]): string[] | null {
  const names = specifiers.map((each) => {
    if (each.type === 'ImportSpecifier') return nameOf(each.imported);
    return each.type === 'ExportSpecifier' ? nameOf(each.local) : null;
  });
  return names.includes(null) ? null : (names as string[]);
}

function importOf(node: Node): ImportFact | null {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
      return node.source
        ? { specifier: textOf(node.source), names: namesTaken(node.specifiers as Node[]) }
        : null;
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return { specifier: textOf(node.source), names: null };
    case 'TSExternalModuleReference':
      return { specifier: textOf(node.expression), names: null };
    default:
      return null;
  }
}

function isDefaultExport(node: Node): boolean {
  if (node.type === 'ExportDefaultDeclaration' || node.type === 'TSExportAssignment') return true;
  if (node.type !== 'ExportNamedDeclaration') return false;
  return (node.specifiers as Node[]).some((each) => nameOf(each.exported) === 'default');
}

/** The ambient thing a node uses, or null. `process` alone counts, so that it can't be handed on. */
function ambientOf(node: Node): { name: string; isHarmlessOutsideCore: boolean } | null {
  const callee = nameOf(node.callee);
  if (node.type === 'CallExpression' && callee !== null) {
    // Giving way to the event loop has no length of its own, so that no clock needs to move it.
    if (callee === 'setImmediate') return { name: callee, isHarmlessOutsideCore: true };
    if (AMBIENT_CALLS.includes(callee) || callee === 'Date')
      return { name: callee, isHarmlessOutsideCore: false };
  }
  if (node.type === 'NewExpression' && callee === 'Date' && (node.arguments as Node[]).length === 0)
    return { name: 'new Date()', isHarmlessOutsideCore: false };
  if (node.type === 'ImportDeclaration' && textOf(node.source) === 'node:crypto') {
    const random = namesTaken(node.specifiers as Node[])?.find((each) => RANDOM_NAMES.test(each));
    return random === undefined ? null : { name: random, isHarmlessOutsideCore: false };
  }
  if (node.type !== 'MemberExpression') return null;
  const object = nameOf(node.object);
  const property = nameOf(node.property);
  if (object === null || textOf(node.object) !== null) return null;
  const name = `${object}.${property ?? '[…]'}`;
  if (object === 'process')
    return { name, isHarmlessOutsideCore: property !== null && !AMBIENT_PROCESS.includes(property) };
  const banned = Object.hasOwn(AMBIENT_MEMBERS, object) ? AMBIENT_MEMBERS[object] : undefined;
  if (banned === undefined || (banned !== 'all' && property !== null && !banned.includes(property)))
    return null;
  return { name, isHarmlessOutsideCore: false };
}

/** `const { env } = process`, `Object.keys(process)`: process as a value, not `process.x`. */
function isBareProcess(node: Node): boolean {
  if (node.type === 'VariableDeclarator')
    return nameOf(node.init) === 'process' && textOf(node.init) === null;
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return false;
  return (node.arguments as Node[]).some((each) => each.type === 'Identifier' && each.name === 'process');
}

const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;

/** The function that a variable, a key or a method holds, with its name. */
function namedFunction(node: Node): [Node, string] | null {
  const held = node.init ?? node.value;
  if (!isNode(held) || !FUNCTION.test(held.type)) return null;
  const name = nameOf(node.id) ?? nameOf(node.key);
  return name === null ? null : [held, name];
}

/** Reads one TypeScript or JavaScript file. Throws with the file's name when it does not parse. */
export function readFacts(file: string, text: string): Facts {
  let program: Node;
  try {
    program = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;
  } catch (error) {
    throw new Error(`${file} does not parse`, { cause: error });
  }
  const facts: Facts = {
    imports: [],
    hasDefaultExport: false,
    onlyReexports: true,
    ambient: [],
    functions: [],
  };
  const names = new Map<Node, string>();
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;
  for (const statement of program.body as Node[]) {
    const isReexport = /^Export(All|Named)Declaration$/.test(statement.type) && statement.source;
    if (!isReexport) facts.onlyReexports = false;
  }
  for (const node of walk(program)) {
    const fact = importOf(node);
    if (fact !== null) facts.imports.push(fact);
    if (isDefaultExport(node)) facts.hasDefaultExport = true;
    const ambient = isBareProcess(node) ? { name: 'process', isHarmlessOutsideCore: false } : ambientOf(node);
    if (ambient !== null) facts.ambient.push({ ...ambient, line: lineOf(node.start) });
    const named = namedFunction(node);
    if (named !== null) names.set(...named);
    if (FUNCTION.test(node.type)) {
      const line = lineOf(node.start);
      const name = nameOf(node.id) ?? names.get(node) ?? 'function';
      facts.functions.push({ name, line, lines: lineOf(node.end) - line + 1 });
    }
  }
  return facts;
}
