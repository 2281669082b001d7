// OpenAI's responses group the tools of a server into a namespace; the mock knows functions alone. On the way to it they
// become functions with the namespace in their name, and calls of them get it back on the way to the agent.
import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

type Tool = { type: string; name: string; tools?: Tool[] };

type Called = { type?: string; name?: string; namespace?: string };

const BETWEEN = '__';

export interface FlatRequest {
  body: Buffer;
  /** Which namespace and name a function of this request stands for. */
  named: ReadonlyMap<string, Required<Pick<Called, 'name' | 'namespace'>>>;
}

/** @param body of a request to `/responses`, JSON */
export function flattenTools(body: Buffer): FlatRequest {
  const request = JSON.parse(body.toString('utf8')) as { tools?: Tool[]; input?: Called[] | string };
  const named = new Map<string, { name: string; namespace: string }>();
  const flat = (namespace: string, name: string) => {
    const joined = `${namespace}${BETWEEN}${name}`;
    named.set(joined, { namespace, name });
    return joined;
  };
  const tools = request.tools?.flatMap((tool) =>
    tool.type === 'namespace'
      ? (tool.tools ?? []).map((one) => ({ ...one, name: flat(tool.name, one.name) }))
      : [tool],
  );
  if (named.size === 0) return { body, named };
  const input = Array.isArray(request.input)
    ? request.input.map(({ namespace, ...item }) =>
        namespace === undefined || item.name === undefined
          ? item
          : { ...item, name: flat(namespace, item.name) },
      )
    : request.input;
  return { body: Buffer.from(JSON.stringify({ ...request, tools, input })), named };
}

/** Gives the calls in an answer their namespaces back: events line by line, or one JSON text. */
export function restoreNamespaces(named: FlatRequest['named']): Transform {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const restore = (line: string) => {
    const start = line.startsWith('data: ') ? 'data: '.length : 0;
    if (!line.includes(BETWEEN) || line[start] !== '{') return line;
    const restored = JSON.stringify(JSON.parse(line.slice(start)), (_, value: Called | null) => {
      const found = value?.type === 'function_call' ? named.get(value.name ?? '') : undefined;
      return found === undefined ? value : { ...value, ...found };
    });
    return line.slice(0, start) + restored;
  };
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop()!;
      done(null, lines.map((line) => `${restore(line)}\n`).join(''));
    },
    flush: (done) => done(null, restore(rest + decoder.end())),
  });
}
