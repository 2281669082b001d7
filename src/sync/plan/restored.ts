// A file that is an earlier version of itself again (a restore from git or a backup): what upstream said since stands,
// and the restored words are kept. What went up from here and is changed back is an edit like any other.
import { ISSUE_FIELDS, LOCAL_KEYS, textOf } from './fields.ts';
import type { LocalKey, Loss, PlanInput, RemoteFields } from './plan-data.ts';

/** The input as if the file had not been touched and upstream had changed since, for each field that would be undone. */
export function withoutRestored(input: PlanInput): { input: PlanInput; losses: Loss[] } {
  const { base, local } = input;
  const fields = restoredFields(input);
  if (base === null || fields.length === 0) return { input, losses: [] };
  const was = (side: (key: LocalKey) => unknown) => Object.fromEntries(fields.map((key) => [key, side(key)]));
  const remote = { ...base.remote, ...was((key) => asUpstream(input, key)) } as RemoteFields;
  return {
    input: { ...input, base: { ...base, local: { ...base.local, ...was((key) => local[key]) }, remote } },
    losses: fields.map((key) => lossOf(input, key)),
  };
}

/** Fields that say again what they said before upstream changed them, by a restore and not by somebody who meant just that. */
function restoredFields({ base, local, restored }: PlanInput): LocalKey[] {
  if (base === null || restored === null) return [];
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const fields = LOCAL_KEYS.filter(
    (key) =>
      restored.undone.includes(key) &&
      isSame(local[key], restored.local[key]) &&
      !isSame(local[key], base.local[key]),
  );
  // One value alone that is as it was: whoever changes it back in an editor saves the same bytes as who copies a backup.
  const count = fields.length + Number(restored.undone.includes('comments'));
  return restored.proved || count > 1 ? fields : [];
}

/** What upstream said when the file said this. */
function asUpstream(input: PlanInput, key: LocalKey): unknown {
  const { upstream } = ISSUE_FIELDS[key];
  const said = input.local[key];
  return upstream === undefined ? (said ?? '') : upstream(said as never, input);
}

function lossOf({ local }: PlanInput, key: LocalKey): Loss {
  const { name } = ISSUE_FIELDS[key];
  return { field: name, side: 'local', text: textOf(local[key], name), isRestored: true };
}
