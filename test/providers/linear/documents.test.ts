import { parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { FIELDS, type Field } from '../../../src/core/chore/chore.ts';
import { createDocuments, documentsInUse } from '../../../src/providers/linear/documents.ts';
import { LACKS, type Lack } from '../../../src/providers/linear/options.ts';
import { complexityOf, MAX_COMPLEXITY } from '../../support/linear-server/complexity.ts';
import { readFullSchema } from '../../support/linear-server/full-schema.ts';

const full = readFullSchema();
const TRIMS: [string, readonly Field[], readonly Lack[]][] = [
  ['everything', FIELDS, []],
  ['no comments', FIELDS.filter((field) => field !== 'comments'), []],
  ['no relations', FIELDS.filter((field) => field !== 'parent' && field !== 'blocked_by'), []],
  ['the title alone', ['title'], []],
  ...LACKS.map((lack): [string, readonly Field[], readonly Lack[]] => [`without ${lack}`, FIELDS, [lack]]),
  ['without anything', FIELDS, LACKS],
];

describe.each(TRIMS)('the documents of a source with %s', (_name, fields, lacks) => {
  const documents = documentsInUse({ fields: new Set(fields), lacks: new Set(lacks) });

  test.skipIf(!full)("are valid against Linear's schema", () => {
    for (const [name, text] of Object.entries(documents)) {
      expect(
        validate(full!, parse(text)).map(({ message }) => message),
        name,
      ).toEqual([]);
    }
  });

  test.skipIf(!full)('cost less than Linear lets one query have', () => {
    for (const [name, text] of Object.entries(documents)) {
      expect(complexityOf(full!, parse(text), {}), name).toBeLessThanOrEqual(MAX_COMPLEXITY);
    }
  });
});

test.skipIf(!full)('the check sees what Linear does not have, and what costs too much', () => {
  expect(validate(full!, parse('{ issues { nodes { nonsense } } }'))).toHaveLength(1);
  const heavy = '{ issues(first: 250) { nodes { comments(first: 100) { nodes { id } } } } }';
  expect(complexityOf(full!, parse(heavy), {})).toBeGreaterThan(MAX_COMPLEXITY);
});

test('a poll costs little', () => {
  const { poll } = createDocuments({ fields: new Set(FIELDS), lacks: new Set() });
  expect(poll.length).toBeLessThan(2_000);
  if (full) expect(complexityOf(full, parse(poll), {})).toBeLessThan(2_500);
});
