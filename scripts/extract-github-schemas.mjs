// Takes from GitHub's published OpenAPI description what the GitHub-shaped test server is held against, and writes
// test/fixtures/github-openapi.json. Run by hand when that description is updated:
//
//   npm install --prefix /tmp/openapi @octokit/openapi@23.0.2
//   node scripts/extract-github-schemas.mjs /tmp/openapi/node_modules/@octokit/openapi
//
// The package takes 400 MB, so it is not a dependency; the extract is kept in the repository instead.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ISSUES = '/repos/{owner}/{repo}/issues';
const OPERATIONS = [
  'GET /user',
  'GET /repos/{owner}/{repo}',
  `GET ${ISSUES}`,
  `POST ${ISSUES}`,
  `GET ${ISSUES}/comments`,
  `GET ${ISSUES}/comments/{comment_id}`,
  `PATCH ${ISSUES}/comments/{comment_id}`,
  `DELETE ${ISSUES}/comments/{comment_id}`,
  `GET ${ISSUES}/{issue_number}`,
  `PATCH ${ISSUES}/{issue_number}`,
  `GET ${ISSUES}/{issue_number}/comments`,
  `POST ${ISSUES}/{issue_number}/comments`,
  `GET ${ISSUES}/{issue_number}/labels`,
  `POST ${ISSUES}/{issue_number}/labels`,
  `DELETE ${ISSUES}/{issue_number}/labels/{name}`,
  `POST ${ISSUES}/{issue_number}/assignees`,
  `DELETE ${ISSUES}/{issue_number}/assignees`,
  `PUT ${ISSUES}/{issue_number}/lock`,
  `DELETE ${ISSUES}/{issue_number}/lock`,
  `GET ${ISSUES}/{issue_number}/dependencies/blocked_by`,
  `POST ${ISSUES}/{issue_number}/dependencies/blocked_by`,
  `DELETE ${ISSUES}/{issue_number}/dependencies/blocked_by/{issue_id}`,
  `GET ${ISSUES}/{issue_number}/sub_issues`,
  `POST ${ISSUES}/{issue_number}/sub_issues`,
  `DELETE ${ISSUES}/{issue_number}/sub_issue`,
  `GET ${ISSUES}/{issue_number}/parent`,
  'GET /repos/{owner}/{repo}/milestones',
  'GET /repos/{owner}/{repo}/labels',
];
/** Answers any operation may give, whether or not its own list names them. */
const ERRORS = { 401: 'basic-error', 403: 'basic-error', 404: 'basic-error', 410: 'basic-error' };
const WORDS_ONLY = new Set(['description', 'example', 'examples', 'title', 'externalDocs', 'deprecated']);
const REF = '#/components/schemas/';

/** JSON Schema for what OpenAPI 3.0 says with `nullable`, without the words. */
function toJsonSchema(node, inProperties = false) {
  if (Array.isArray(node)) return node.map((item) => toJsonSchema(item));
  if (node === null || typeof node !== 'object') return node;
  const kept = Object.entries(node).filter(
    ([key]) => inProperties || !(WORDS_ONLY.has(key) || key.startsWith('x-') || key === 'nullable'),
  );
  const schema = Object.fromEntries(
    kept.map(([key, value]) => [key, toJsonSchema(value, key === 'properties' && !inProperties)]),
  );
  if (inProperties || node.nullable !== true) return schema;
  if (schema.enum) schema.enum = [...schema.enum, null];
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

function refsIn(node, found = new Set()) {
  if (node === null || typeof node !== 'object') return found;
  if (typeof node.$ref === 'string') found.add(node.$ref.slice(REF.length));
  for (const value of Object.values(node)) refsIn(value, found);
  return found;
}

function extract(api) {
  const operations = {};
  const wanted = new Set(Object.values(ERRORS));
  for (const name of OPERATIONS) {
    const [method, path] = name.split(' ');
    const answers = {};
    for (const [status, said] of Object.entries(api.paths[path][method.toLowerCase()].responses)) {
      const response = said.$ref ? api.components.responses[said.$ref.split('/').at(-1)] : said;
      const schema = response.content?.['application/json']?.schema;
      answers[status] = schema ? toJsonSchema(schema) : null;
    }
    for (const [status, schema] of Object.entries(ERRORS)) answers[status] ??= { $ref: REF + schema };
    operations[name] = answers;
    for (const ref of refsIn(answers)) wanted.add(ref);
  }
  const schemas = {};
  for (const name of wanted) {
    schemas[name] = toJsonSchema(api.components.schemas[name]);
    for (const ref of refsIn(schemas[name])) wanted.add(ref);
  }
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { openapi: api.openapi, version: api.info.version, operations, components: { schemas: sorted } };
}

const folder = process.argv[2];
if (!folder) {
  console.error('usage: node scripts/extract-github-schemas.mjs <folder of @octokit/openapi>');
  process.exit(2);
}
const source = JSON.parse(readFileSync(join(folder, 'generated/api.github.com.json'), 'utf8'));
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const target = fileURLToPath(new URL('../test/fixtures/github-openapi.json', import.meta.url));
writeFileSync(target, `${JSON.stringify({ package: `@octokit/openapi@${version}`, ...extract(source) })}\n`);
console.log(`wrote ${target}; format it with: npx biome format --write ${target}`);
