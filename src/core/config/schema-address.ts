// Where the published JSON Schemas of the files lie that people write: named in the files, so that editors find them.

export type SchemaName = 'room' | 'agent' | 'chore' | 'task';

export function schemaAddress(name: SchemaName): string {
  return `https://unpkg.com/taskroom/schemas/${name}.schema.json`;
}
