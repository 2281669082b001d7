// The room.yaml of a new room, made from the list of keys.
import { ROOM_KEYS } from './config-keys.ts';
import { schemaAddress } from './schema-address.ts';

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
  for (const { key, default: fallback, about } of ROOM_KEYS) {
    const [head, child] = key.split('.') as [string, string?];
    if (child === undefined || head !== group) lines.push('');
    if (child !== undefined && head !== group) lines.push(`# ${head}:`);
    group = child === undefined ? null : head;
    if (child !== undefined) lines.push(`#   ${`${child}: ${fallback ?? ''}`.trimEnd()} # ${about}`);
    else
      lines.push(
        `# ${about}`,
        key === 'default_agent' ? `${key}: ${defaultAgent}` : `# ${key}: ${fallback ?? ''}`.trimEnd(),
      );
  }
  return `${lines.join('\n')}\n`;
}
