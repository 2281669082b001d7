import { expect, test } from 'vitest';
import { schemaFaults } from './github-schema.ts';

test('the GitHub-shaped server is held against GitHub’s description by a check that fails', () => {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
  expect(schemaFaults(route, 200, { number: 'x' })).not.toEqual([]);
  expect(schemaFaults(route, 418, {})).toEqual([`${route} never answers 418`]);
  expect(schemaFaults('GET /nowhere', 200, {})).toHaveLength(1);
  expect(
    schemaFaults('GET /repos/{owner}/{repo}/labels', 200, [{ color: '', default: true, own: 1 }]),
  ).not.toEqual([]);
});
