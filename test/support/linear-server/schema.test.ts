import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildSchema,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { createDelegator } from './agent-sessions.ts';
import { readFullSchema } from './full-schema.ts';
import { createPerson } from './person.ts';
import { addUser, createLinearState } from './records.ts';

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
    if (isInputObjectType(type) && isInputObjectType(other))
      for (const field of Object.values(type.getFields()))
        compare(`${type.name}.${field.name}`, field.type, other.getFields()[field.name]?.type);
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

test.skipIf(!full)(
  'what tells of a session has no field that Linear does not send, and each that it always sends',
  () => {
    const state = createLinearState();
    const person = createPerson(state);
    const delegator = createDelegator(state, addUser(state, 'Room', { app: true }), person.ann);
    const created = delegator.delegate(person.addIssue());
    const prompted = delegator.prompt(created.id, 'Go on.');
    /** @param but always sent by Linear, and nothing that a mirror could look at */
    const faultsOf = (value: object, type: string, but: readonly string[]): string[] => {
      const fields = (full!.getType(type) as GraphQLObjectType).getFields();
      const unknown = Object.keys(value).filter((key) => fields[key] === undefined);
      const missing = Object.values(fields).filter(({ name, type: one }) => {
        return isNonNullType(one) && !(name in value) && !but.includes(name);
      });
      const inner = Object.entries(value).flatMap(([key, one]) => {
        const below = fields[key] && getNamedType(fields[key].type);
        return isObjectType(below) && one !== null ? faultsOf(one as object, below.name, but) : [];
      });
      return [...unknown, ...missing.map(({ name }) => `no ${name}`), ...inner];
    };
    // Put in when it is sent.
    const atSending = ['webhookId', 'webhookTimestamp'];
    for (const { payload } of [created, prompted])
      expect(faultsOf(payload, 'AgentSessionEventWebhookPayload', atSending)).toEqual([]);
  },
);
