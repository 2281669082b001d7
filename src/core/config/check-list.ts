// `checks:` as written, in a task, a chore or an agent's file: shell commands, without a word of who wrote them.

const MAX_CHECKS = 50;
const MAX_CHECK = 4000;

/** Shell commands: one text is one command, whatever signs it holds. Null for what can't be a list of them. */
export function parseChecks(value: unknown): string[] | null {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  const isCommand = (item: unknown): item is string =>
    typeof item === 'string' && item.trim() !== '' && item.length <= MAX_CHECK && !item.includes('\0');
  return items.length <= MAX_CHECKS && items.every(isCommand) ? items : null;
}
