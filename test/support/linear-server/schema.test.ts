import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, type GraphQLSchema, isEnumType, isInputObjectType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { readFullSchema } from './full-schema.ts';

const SDL = readFileSync(path.join(import.meta.dirname, 'schema.graphql'), 'utf8');
const full = readFullSchema();

/** Every type, field, argument and value of `ours` that `theirs` has not, or has otherwise. */
function differences(ours: GraphQLSchema, theirs: GraphQLSchema): string[] {
  const found: string[] = [];
  const compare = (what: string, mine: unknown, other: unknown) => {
    if (String(mine) !== String(other)) found.push(`${what}: ${String(mine)}, there ${String(other)}`);
  };
  for (const type of Object.values(ours.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    const other = theirs.getType(type.name);
    compare(type.name, type.constructor.name, other?.constructor.name);
    if (isEnumType(type) && isEnumType(other)) {
      for (const { name } of type.getValues())
        compare(`${type.name}.${name}`, name, other.getValue(name)?.name);
    }
    if (isInputObjectType(type) && isInputObjectType(other)) {
      for (const field of Object.values(type.getFields())) {
        compare(`${type.name}.${field.name}`, field.type, other.getFields()[field.name]?.type);
      }
    }
    if (!isObjectType(type) || !isObjectType(other)) continue;
    for (const field of Object.values(type.getFields())) {
      const there = other.getFields()[field.name];
      compare(`${type.name}.${field.name}`, field.type, there?.type);
      for (const arg of field.args) {
        compare(
          `${type.name}.${field.name}(${arg.name})`,
          arg.type,
          there?.args.find(({ name }) => name === arg.name)?.type,
        );
      }
    }
  }
  return found;
}

describe('the schema of the server', () => {
  test.skipIf(!full)("has nothing that Linear's has not, and everything with the same type", () => {
    expect(differences(buildSchema(SDL), full!)).toEqual([]);
  });

  test('the comparison finds what is made up, and what has another type', () => {
    const theirs = buildSchema(SDL);
    const ours = buildSchema(
      SDL.replace('previousIdentifiers: [String!]!', 'previousIdentifiers: [String]!')
        .replace('branchName: String!', 'branchName: String!\n  madeUp: Int')
        .replace('issue(id: String!): Issue!', 'issue(id: ID!): Issue!')
        .replace(/(input CommentUpdateInput \{\s*body: String)/, '$1!')
        .replace('  similar\n', '  similar\n  opposite\n')
        .replace('scalar TimelessDate', 'scalar TimelessDate\nscalar Invented'),
    );
    const found = differences(ours, theirs).map((line) => line.split(':')[0]);
    expect(found.sort()).toEqual([
      ...['CommentUpdateInput.body', 'Invented', 'Issue.madeUp', 'Issue.previousIdentifiers'],
      ...['IssueRelationType.opposite', 'Query.issue(id)'],
    ]);
  });
});
