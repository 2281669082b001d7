// Linear's published schema, which is not part of this repository. Where it is absent, tests that need it are skipped
// and say so.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, type GraphQLSchema } from 'graphql';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Where it is looked for: `LINEAR_SCHEMA`, or beside the project. */
export const FULL_SCHEMA_PATH =
  process.env.LINEAR_SCHEMA ?? path.resolve(ROOT, '../shared/data/linear/schema.graphql');

/** Null when the file is not there. */
export function readFullSchema(): GraphQLSchema | null {
  if (existsSync(FULL_SCHEMA_PATH)) return buildSchema(readFileSync(FULL_SCHEMA_PATH, 'utf8'));
  console.warn(`SKIPPED: Linear's schema is not at ${FULL_SCHEMA_PATH}; set LINEAR_SCHEMA to where it is`);
  return null;
}
