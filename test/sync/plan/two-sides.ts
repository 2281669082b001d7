// Both sides of a mirror without disk or network: a text and a remote task, and what a plan makes of them.

import { DEFAULT_PUSH, type MirrorConfig } from '../../../src/core/chore/chore.ts';
import { FIELDS } from '../../../src/core/chore/fields.ts';
import { parseDocument } from '../../../src/core/document/document.ts';
import { applyEdits } from '../../../src/core/document/edits.ts';
import type { TaskId } from '../../../src/core/ids.ts';
import { appendToSection } from '../../../src/core/task/body/sections.ts';
import type { Profile, RemoteChange, RemoteComment, RemoteTask } from '../../../src/providers/provider.ts';
import { answerEntry, applyToFile, commentEntry, newTaskFile } from '../../../src/sync/file/local-edit.ts';
import { baseAfterComment, baseAfterPush } from '../../../src/sync/plan/base.ts';
import { readLocalSide } from '../../../src/sync/plan/local-side.ts';
import { planMirror } from '../../../src/sync/plan/plan.ts';
import type { Base, LocalSide, MirrorPlan, PlanInput } from '../../../src/sync/plan/plan-data.ts';
import { mirrorConfig } from '../../support/mirror-config.ts';

export const ID = '3nprht9x' as TaskId;
export const NOW = Date.UTC(2026, 10, 20, 10, 0);

export const profile: Profile = {
  limits: { title: 256, body: 65_536, comment: 65_536 },
  writable: [...FIELDS],
  normalise: (text) => text,
  classOf: (status) => (status === 'done' || status === 'canceled' ? status : 'open'),
  trustedRoles: ['owner', 'member', 'collaborator'],
  remote: true,
};

export const config = mirrorConfig({ provider: 'github', push: [...DEFAULT_PUSH, ...FIELDS] });

export function issue(over: Partial<RemoteTask> = {}): RemoteTask {
  return {
    ref: 'acme/web#12',
    uid: 'I_12',
    url: 'https://github.com/acme/web/issues/12',
    title: 'Fix the login redirect',
    body: 'It goes\nto the wrong\npage.',
    state: 'open',
    status: 'todo',
    labels: ['bug'],
    assignees: [],
    priority: null,
    due: null,
    milestone: null,
    parent: null,
    blockedBy: [],
    author: 'alice',
    role: 'member',
    mine: false,
    key: null,
    createdAt: NOW - 86_400_000,
    updatedAt: NOW - 3_600_000,
    locked: false,
    admitted: true,
    commentCount: null,
    comments: { complete: true, items: [] },
    silent: [],
    ...over,
  };
}

export function comment(over: Partial<RemoteComment> = {}): RemoteComment {
  return {
    id: '900',
    author: 'bob',
    role: 'member',
    mine: false,
    body: 'Same here.',
    key: null,
    createdAt: NOW - 1_800_000,
    updatedAt: NOW - 1_800_000,
    ...over,
  };
}

export interface Sides {
  path: string;
  text: string;
  remote: RemoteTask;
  base: Base;
  config: MirrorConfig;
  posted: Set<string>;
  now: number;
}

/** A mirror as it is right after the issue came in. */
export function mirrored(remote: RemoteTask = issue(), over: Partial<MirrorConfig> = {}): Sides {
  const settings = { ...config, ...over };
  const file = newTaskFile({
    remote,
    config: settings,
    profile,
    provider: 'github',
    id: ID,
    tag: 'abcdefghij',
    shortRef: 'web#12',
    taskOf: () => null,
  });
  const path = `tasks/${file.name}.md`;
  return { path, text: file.text, remote, base: file.base, config: settings, posted: new Set(), now: NOW };
}

export function localOf(sides: Sides): LocalSide {
  const local = readLocalSide(sides.path, sides.text);
  if (!local) throw new Error(`unreadable:\n${sides.text}`);
  return local;
}

export function planOf(sides: Sides, over: Partial<PlanInput> = {}): MirrorPlan {
  return planMirror({
    base: sides.base,
    local: localOf(sides),
    remote: sides.remote,
    config: sides.config,
    profile,
    provider: 'github',
    taskOf: () => null,
    refOf: () => null,
    posted: sides.posted,
    room: 'room000000',
    intended: new Set(),
    acts: null,
    restored: null,
    running: false,
    savedAt: 0,
    now: sides.now,
    ...over,
  });
}

/** Carries a plan out on both sides, as the engine does: the file first, then comments, then the fields. */
export function carryOut(sides: Sides, plan: MirrorPlan): void {
  sides.base = plan.base;
  if (plan.local) {
    const context = { provider: 'github', uid: sides.remote.uid, tag: 'zyxwvutsrq' };
    sides.text = applyToFile(sides.text, sides.path, plan.local, context);
    const entries = [
      ...plan.local.newComments.map((one) => commentEntry(one, context)),
      ...plan.local.answers.map((one) => answerEntry(one, context)),
    ];
    for (const { section, block } of entries) {
      const parsed = parseDocument(sides.text, sides.path);
      if (!parsed.ok) throw new Error('unreadable');
      const { bodyStart } = parsed.doc;
      sides.text = applyEdits(
        sides.text,
        appendToSection(sides.text.slice(bodyStart), section, block, bodyStart),
      );
    }
  }
  for (const push of plan.comments) {
    const id = 'id' in push && push.id !== null ? push.id : String(sides.remote.comments.items.length + 1000);
    const key = 'key' in push ? push.key : null;
    const sent = comment({ id, author: 'me', mine: true, body: push.text, key });
    const others = sides.remote.comments.items.filter((one) => one.id !== id);
    sides.remote = { ...sides.remote, comments: { complete: true, items: [...others, sent] } };
    sides.base = baseAfterComment(sides.base, push, sent);
  }
  if (plan.push) {
    sides.remote = taken(sides.remote, plan.push);
    sides.base = baseAfterPush(sides.base, plan.push, sides.remote, localOf(sides));
  }
}

/** What a tracker makes of a change. */
export function taken(remote: RemoteTask, change: RemoteChange): RemoteTask {
  const { labels, assignees, blockedBy, status, ...words } = change;
  const list = (now: readonly string[], edit?: { add: readonly string[]; remove: readonly string[] }) =>
    edit ? [...now.filter((one) => !edit.remove.includes(one)), ...edit.add] : [...now];
  const state = status === undefined ? remote.state : profile.classOf(status);
  return {
    ...remote,
    ...words,
    state,
    status: status === undefined ? remote.status : state === 'open' ? 'todo' : status,
    labels: list(remote.labels, labels),
    assignees: list(remote.assignees, assignees),
    blockedBy: list(
      remote.blockedBy.map(({ ref }) => ref),
      blockedBy,
    ).map((ref) => ({ ref, finished: false })),
  } as RemoteTask;
}

/** True when the plan leaves both sides alone. */
export function isQuiet(plan: MirrorPlan): boolean {
  return plan.local === null && plan.push === null && plan.comments.length === 0 && plan.losses.length === 0;
}

/** Plans once and carries it out. */
export function settle(sides: Sides): void {
  carryOut(sides, planOf(sides));
}
