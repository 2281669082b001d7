// The room.yaml of a new room, made from its settings.
import { ROOM } from './room-config.ts';
import { settingRows } from './setting.ts';

/** A default as it stands in the file; '' where leaving the key out is the only way to say it. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.join(', ')}]`;
  if (typeof value === 'string') return /^\d[\d-]* .*\*/.test(value) ? JSON.stringify(value) : value;
  return value === undefined ? '' : JSON.stringify(value);
}

/**
 * The room.yaml that `taskroom init` writes: every key as a comment with its default and what it is for,
 * and `default_agent` set.
 */
export function defaultRoomYaml(defaultAgent = 'runbook'): string {
  const lines = [
    `# yaml-language-server: $schema=${schemaAddress('room')}`,
    '# Settings of this room. Every key is optional; what is commented out shows the default.',
    '# Durations: 250ms, 1s, 5m, 2h, 14d. Sizes: 64MiB or a number of bytes.',
  ];
  let group: string | null = null;
  for (const { key, fallback, about } of settingRows(ROOM)) {
    const [head, child] = key.split('.') as [string, string?];
    if (child === undefined || head !== group) lines.push('');
    if (child !== undefined && head !== group) lines.push(`# ${head}:`);
    group = child === undefined ? null : head;
    if (child !== undefined) lines.push(`#   ${`${child}: ${written(fallback)}`.trimEnd()} # ${about}`);
    else
      lines.push(
        `# ${about}`,
        key === 'default_agent' ? `${key}: ${defaultAgent}` : `# ${key}: ${written(fallback)}`.trimEnd(),
      );
  }
  return `${lines.join('\n')}\n`;
}

export type SchemaName = 'room' | 'agent' | 'chore' | 'task';

export function schemaAddress(name: SchemaName): string {
  return `https://unpkg.com/taskroom/schemas/${name}.schema.json`;
}
