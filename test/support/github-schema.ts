// Holds an answer of the GitHub-shaped server against GitHub's own published description of it.
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';

interface Extract {
  operations: Record<string, Record<string, object | null>>;
  components: { schemas: Record<string, { properties?: Record<string, unknown> }> };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const extract = JSON.parse(
  readFileSync(new URL('../fixtures/github-openapi.json', import.meta.url), 'utf8'),
) as Extract;
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: {
    'date-time': TIME,
    uri: (text: string) => URL.canParse(text),
    email: /@/,
    int64: { type: 'number', validate: Number.isSafeInteger },
  },
});
ajv.addSchema({ $id: 'github', components: extract.components });
const compiled = new Map<string, ValidateFunction>();

/** Keys the server may give for issues and comments; a key that GitHub doesn't have helps nobody. */
const CLOSED = ['issue', 'issue-comment', 'label', 'milestone', 'simple-user'] as const;

function validator(route: string, status: number): ValidateFunction | null {
  const schema = extract.operations[route]?.[status];
  if (!schema) return null;
  const name = `${route} ${status}`;
  const known = compiled.get(name);
  if (known) return known;
  const pointed = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components', '"github#/components'),
  ) as object;
  const made = ajv.compile(pointed);
  compiled.set(name, made);
  return made;
}

/** What is wrong with the answer; empty for none. An answer that GitHub's description does not have is wrong too. */
export function schemaFaults(route: string, status: number, body: unknown): string[] {
  const operation = extract.operations[route];
  if (!operation) return [`${route} is not an operation of the extract`];
  // Any operation may be refused for its credentials or for a limit, or fail: the description doesn't list that.
  if (status === 304 || status === 307 || status === 429 || status === 400) return [];
  if (!(status in operation)) return [`${route} never answers ${status}`];
  const validate = validator(route, status);
  if (!validate) return body === null ? [] : [`${route} ${status} has no body`];
  if (!validate(body))
    return (validate.errors ?? []).map((e) => `${route} ${status} ${e.instancePath} ${e.message}`);
  return unknownKeys(body).map((key) => `${route} ${status} has ${key}, which GitHub does not`);
}

function kindOf(value: Record<string, unknown>): (typeof CLOSED)[number] | null {
  if ('repository_url' in value && 'number' in value) return 'issue';
  if ('issue_url' in value) return 'issue-comment';
  if ('color' in value && 'default' in value) return 'label';
  if ('open_issues' in value && 'number' in value) return 'milestone';
  return 'followers_url' in value && !('public_repos' in value) ? 'simple-user' : null;
}

function unknownKeys(body: unknown): string[] {
  if (Array.isArray(body)) return body.flatMap(unknownKeys);
  if (body === null || typeof body !== 'object') return [];
  const value = body as Record<string, unknown>;
  const kind = kindOf(value);
  const allowed = kind === null ? null : extract.components.schemas[kind]!.properties!;
  const own = allowed === null ? [] : Object.keys(value).filter((key) => !Object.hasOwn(allowed, key));
  return [...own.map((key) => `${kind}.${key}`), ...Object.values(value).flatMap(unknownKeys)];
}
