// How settings are declared, once: types, JSON Schemas, the tables of docs/config.md and problems follow.
import * as z from 'zod';
import { type Camel, camelOf } from '../plain-data.ts';

/** A file is read once: code made for each of its maps would cost more than it saves. */
export const ONCE = { jitless: true };

declare const UNIT: unique symbol;
/** In the code the name of a duration ends in `Ms`. */
export type Milliseconds = number & { [UNIT]: 'ms' };

type NameOf<Key extends string, Value> = [NonNullable<Value>] extends [Milliseconds]
  ? `${Camel<Key>}Ms`
  : Camel<Key>;
export type Named<Values> = {
  [Key in keyof Values & string as NameOf<Key, Values[Key]>]: [NonNullable<Values[Key]>] extends [
    Milliseconds,
  ]
    ? number | Extract<Values[Key], null>
    : Values[Key];
};

/** Missing or empty it has its default, null without one. */
export function setting<Takes extends z.ZodType>(
  takes: Takes,
  about: string,
): z.ZodType<z.output<Takes> | null, z.input<Takes> | null | undefined>;
export function setting<Takes extends z.ZodType>(
  takes: Takes,
  about: string,
  fallback: z.input<Takes>,
): z.ZodType<z.output<Takes>, z.input<Takes> | null | undefined>;
export function setting(takes: z.ZodType, about: string, fallback?: unknown): z.ZodType {
  const found = takes.transform((value) => ({ value }));
  // Null is a value too, of what can be switched off.
  const fallen = () => (fallback === undefined ? null : takes.parse(fallback, ONCE));
  return found
    .nullish()
    .transform((given) => (given ? given.value : fallen()))
    .register(z.globalRegistry, { description: about, default: fallback });
}

export function needed<Takes extends z.ZodType>(takes: Takes, about: string) {
  const found = takes.transform((value) => value);
  z.globalRegistry.add(found, { description: about });
  return found;
}

export function settings<Shape extends z.ZodRawShape>(shape: Shape) {
  const map = z.strictObject(shape);
  return map.nullish().transform((found) => found ?? map.parse({}, ONCE));
}

export const group = <Shape extends z.ZodRawShape>(shape: Shape) =>
  settings(shape).transform((found) => named(shape, found));

/** @param values what was read by `shape` */
export function named<Values extends object>(shape: z.ZodRawShape, values: Values): Named<Values> {
  const entries = Object.entries(values).map(([key, value]) => {
    const name = camelOf(key);
    return [kindOf(shape[key]!).title === 'duration' ? `${name}Ms` : name, value];
  });
  return Object.fromEntries(entries) as Named<Values>;
}

/** A schema, and what is behind its defaults, empty values and the transforms that follow. */
function layers(schema: z.core.$ZodType): z.core.$ZodType[] {
  const { def } = schema._zod as unknown as { def: { type: string } & Record<string, z.core.$ZodType> };
  const isLate = def.type === 'pipe' && def.in!._zod.def.type === 'transform';
  const inner = def.type === 'pipe' ? def[isLate ? 'out' : 'in'] : def.innerType;
  return inner === undefined ? [schema] : [schema, ...layers(inner)];
}

export function kindOf(schema: z.core.$ZodType): z.GlobalMeta {
  const words = layers(schema).map((layer) => z.globalRegistry.get(layer) ?? {});
  return words.find(({ title }) => title !== undefined) ?? {};
}

/** The members of a map, those of a budget included; null when the schema is no map. */
export function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | null {
  const map = layers(schema).at(-1)!;
  if (map instanceof z.ZodObject) return map.shape;
  if (!(map instanceof z.ZodUnion)) return null;
  const shapes = map.options.map(shapeOf).filter((shape) => shape !== null);
  return shapes.length === 0 ? null : Object.assign({}, ...shapes);
}

export function keysOf(schema: z.core.$ZodType): string[] {
  const map = layers(schema).at(-1)!;
  const names = map instanceof z.ZodRecord ? (map.keyType as z.ZodType) : null;
  return names instanceof z.ZodEnum ? names.options.map(String) : Object.keys(shapeOf(map) ?? {});
}

/** What a value at a path below a schema is, or a name of a person's choice. */
export function schemaAt(
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
  isName = false,
): z.core.$ZodType | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  const map = layers(schema).at(-1)!;
  let next: z.core.$ZodType | undefined = shapeOf(map)?.[String(key)];
  if (map instanceof z.ZodRecord) next = isName && rest.length === 0 ? map.keyType : map.valueType;
  if (map instanceof z.ZodArray) next = map.element;
  if (map instanceof z.ZodUnion) {
    // A list beside a single word.
    const list = map.options.find((option) => layers(option).at(-1) instanceof z.ZodArray);
    if (typeof key === 'number' && list !== undefined) return schemaAt(list, path, isName);
  }
  return next && schemaAt(next, rest, isName);
}

export interface SettingRow {
  key: string; // Dotted path in the file: `limits.total`.
  takes: string;
  fallback: unknown; // Undefined where leaving the key out is the only way to say it.
  about: string;
}

export const settingRows = (schema: z.core.$ZodType, above = ''): SettingRow[] =>
  Object.entries(shapeOf(schema) ?? {}).flatMap(([name, member]): SettingRow[] => {
    const key = `${above}${name}`;
    const { title } = kindOf(member);
    if (title === undefined) return settingRows(member, `${key}.`);
    const { default: fallback, description: about = '' } = z.globalRegistry.get(member) ?? {};
    return [{ key, takes: title, fallback, about }];
  });
