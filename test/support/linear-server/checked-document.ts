// What Linear does with a document before it runs it: read, held against the schema, and priced.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, type DocumentNode, GraphQLError, parse, validate } from 'graphql';
import { tooComplex } from './answer-errors.ts';
import { complexityOf, MAX_COMPLEXITY } from './complexity.ts';

export const schema = buildSchema(readFileSync(path.join(import.meta.dirname, 'schema.graphql'), 'utf8'));

/** A document that may run, or why it may not; `complexity` is 0 for one that was not priced. */
export type Checked = { complexity: number } & ({ document: DocumentNode } | { errors: GraphQLError[] });

export function checkDocument(query: string, variables: Readonly<Record<string, unknown>>): Checked {
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch (error) {
    const said = new GraphQLError(error instanceof Error ? error.message : String(error));
    return { errors: [said], complexity: 0 };
  }
  const invalid = validate(schema, document);
  if (invalid.length > 0) return { errors: invalid.map(asValidation), complexity: 0 };
  const complexity = complexityOf(schema, document, variables);
  if (complexity > MAX_COMPLEXITY) return { errors: [tooComplex(complexity)], complexity };
  return { document, complexity };
}

function asValidation(error: GraphQLError): GraphQLError {
  const extensions = { type: 'graphql error', code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } };
  return new GraphQLError(error.message, { nodes: error.nodes ?? null, extensions });
}
