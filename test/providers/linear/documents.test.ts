import { parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { FIELDS, type Field } from '../../../src/core/chore/fields.ts';
import { createDocuments } from '../../../src/providers/linear/documents.ts';
import { complexityOf, MAX_COMPLEXITY } from '../../support/linear-server/complexity.ts';
import { readFullSchema } from '../../support/linear-server/full-schema.ts';

const full = readFullSchema();
const TRIMS: [string, readonly Field[]][] = [
  ['everything', FIELDS],
  ['no comments', FIELDS.filter((field) => field !== 'comments')],
  ['no relations', FIELDS.filter((field) => field !== 'parent' && field !== 'blocked_by')],
  ['the title alone', ['title']],
];

const SOURCES = TRIMS.flatMap(([name, fields]) =>
  [false, true].map((isApp) => [name, isApp, fields] as const),
);

describe.each(SOURCES)('the documents of a source with %s (of an app: %s)', (_name, isApp, fields) => {
  const documents = createDocuments(new Set(fields), isApp);

  test.skipIf(!full)("are valid against Linear's schema", () => {
    for (const [name, text] of Object.entries(documents)) {
      expect(
        validate(full!, parse(text)).map(({ message }) => message),
        name,
      ).toEqual([]);
    }
  });

  test.skipIf(!full)('cost less than Linear lets one query have', () => {
    for (const [name, text] of Object.entries(documents))
      expect(complexityOf(full!, parse(text), {}), name).toBeLessThanOrEqual(MAX_COMPLEXITY);
  });
});

test.skipIf(!full)('the check sees what Linear does not have, and what costs too much', () => {
  expect(validate(full!, parse('{ issues { nodes { nonsense } } }'))).toHaveLength(1);
  const heavy = '{ issues(first: 250) { nodes { comments(first: 100) { nodes { id } } } } }';
  expect(complexityOf(full!, parse(heavy), {})).toBeGreaterThan(MAX_COMPLEXITY);
});

test('a poll costs little', () => {
  const { poll } = createDocuments(new Set(FIELDS));
  expect(poll.length).toBeLessThan(2_000);
  if (full) expect(complexityOf(full, parse(poll), {})).toBeLessThan(2_500);
});
