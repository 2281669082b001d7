// The points Linear charges for a document before it runs: 0.1 a property, 1 an object, and a connection times the page
// it asks for.
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { DEFAULT_PAGE } from './connections.ts';

/** The most one query may have. */
export const MAX_COMPLEXITY = 10_000;

/** Points of a valid document with these variables, rounded up. */
export function complexityOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const fragments = new Map<string, SelectionSetNode>();
  for (const one of document.definitions) {
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one.selectionSet);
  }

  function pageOf(field: FieldNode): number {
    const asked = field.arguments?.find(({ name }) => name.value === 'first' || name.value === 'last')?.value;
    if (asked?.kind === Kind.INT) return Number(asked.value);
    if (asked?.kind === Kind.VARIABLE) return Number(variables[asked.name.value] ?? DEFAULT_PAGE);
    return DEFAULT_PAGE;
  }

  function fieldPoints(field: FieldNode, parent: GraphQLObjectType): number {
    const definition = parent.getFields()[field.name.value];
    const type = definition && getNamedType(definition.type);
    if (!isObjectType(type) || !field.selectionSet) return 0.1;
    const inside = points(field.selectionSet, type);
    return type.name.endsWith('Connection') ? pageOf(field) * inside : 1 + inside;
  }

  function points(set: SelectionSetNode, parent: GraphQLObjectType): number {
    let sum = 0;
    for (const one of set.selections) {
      if (one.kind === Kind.FIELD) {
        // Told once a page, not once a record.
        if (one.name.value !== 'pageInfo') sum += fieldPoints(one, parent);
      } else {
        const inner = one.kind === Kind.FRAGMENT_SPREAD ? fragments.get(one.name.value) : one.selectionSet;
        if (inner) sum += points(inner, parent);
      }
    }
    return sum;
  }

  let total = 0;
  for (const one of document.definitions) {
    if (one.kind !== Kind.OPERATION_DEFINITION) continue;
    const root = one.operation === 'mutation' ? schema.getMutationType() : schema.getQueryType();
    if (root) total += points(one.selectionSet, root);
  }
  return Math.ceil(total);
}
