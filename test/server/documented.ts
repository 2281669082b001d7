// Every answer that a test sees is held to what the document says of its route.
import { prettifyError } from 'zod';
import { ROUTES } from '../../src/server/routes.ts';

/**
 * Of those that succeeded, in JSON; the protocol at /mcp is another's.
 * @param path of the address, without a query
 * @throws Error for a status, or a field, that the document does not name
 */
export function assertAsDocumented(method: string, path: string, status: number, body: unknown): void {
  const found = ROUTES.find(
    (route) => route.method === method.toLowerCase() && patternOf(route.path).test(path),
  );
  if (found === undefined || status >= 300 || found.id === 'mcp') return;
  const schema = found.answers[status]?.schema;
  if (schema === undefined) throw new Error(`${method} ${path}: the document tells of no ${status}`);
  const { error } = schema.safeParse(body);
  if (error !== undefined) throw new Error(`${method} ${path}: ${prettifyError(error)}`);
}

const patterns = new Map<string, RegExp>();

function patternOf(path: string): RegExp {
  const known =
    patterns.get(path) ?? new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
  patterns.set(path, known);
  return known;
}
