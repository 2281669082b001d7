// The settings in force: room.yaml and the agents' files as a person said them, the last good ones after a bad reload.
// They are read when first asked for, so that commands that need none pay nothing.
import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { RoomConfig } from '../../core/config/room-config.ts';
import { type Problem, valueOr } from '../../core/errors.ts';
import type { OwnStatuses } from '../../core/task/status.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Room } from '../room.ts';
import type * as ConfigFiles from './config-files.ts';
import { textsInForce } from './trusted-words.ts';

export type Settings = ReturnType<typeof loadSettings>;
type Loaded = { config: RoomConfig; agents: ReadonlyMap<string, AgentConfig>; problems: Problem[] };

export function loadSettings(room: Room, ledger: Ledger) {
  let loaded: Loaded | null = null;
  const read = (): Loaded => {
    const { readRoomConfig, readAgents, defaultRoomConfig } = configFiles();
    const inForce = textsInForce(room, ledger);
    const stamp = stampOf(room.at('room.yaml'));
    const { settings, agents, problems } = ledger.transaction(() => {
      const settings = readRoomConfig(room.dir, inForce);
      if (settings.ok) keepStatuses(ledger, loaded?.config, { stamp, statuses: settings.config.statuses });
      return { settings, ...readAgents(room.dir, inForce) };
    });
    // An agent whose file can't be read any more stays as it was.
    for (const [id, agent] of loaded?.agents ?? [])
      if (!agents.has(id) && problems.some(({ path }) => path === `agents/${id}/agent.json`))
        agents.set(id, agent);
    const config = settings.ok
      ? settings.config
      : (loaded?.config ?? { ...defaultRoomConfig(), statuses: keptStatuses(ledger).statuses });
    loaded = { config, agents, problems: settings.ok ? problems : [...settings.problems, ...problems] };
    return loaded;
  };
  return {
    config: () => (loaded ?? read()).config,
    agents: () => (loaded ?? read()).agents,
    problems: (): readonly Problem[] => (loaded ?? read()).problems,
    /** Reads the files again; returns their problems. A bad room.yaml leaves the settings as they were. */
    reload: (): readonly Problem[] => read().problems,
  };
}

/** The statuses of the room's own that the readings of the ledger were made with, and the stamp of the room.yaml that named them. */
type KeptStatuses = { stamp: string; statuses: OwnStatuses };

const KEPT = 'statuses';

const keptStatuses = ({ meta }: Ledger): KeptStatuses =>
  JSON.parse(meta.get(KEPT) ?? '{"stamp":"","statuses":{}}');

function keepStatuses(ledger: Ledger, before: RoomConfig | undefined, now: KeptStatuses): void {
  const kept = keptStatuses(ledger);
  const isOther = (statuses: OwnStatuses) => JSON.stringify(statuses) !== JSON.stringify(now.statuses);
  if (isOther(kept.statuses) || (before !== undefined && isOther(before.statuses))) ledger.files.readAnew();
  if (JSON.stringify(kept) !== JSON.stringify(now)) ledger.meta.set(KEPT, JSON.stringify(now));
}

/** Readings that were kept before room.yaml changed are looked at by what it says now. */
export function lookAtStatuses({
  room,
  ledger,
  config,
}: {
  room: Room;
  ledger: Ledger;
  config(): RoomConfig;
}): void {
  if (keptStatuses(ledger).stamp !== stampOf(room.at('room.yaml'))) config();
}

// Synchronous and late: the schemas take a third of a small command's start. Bundled, it is a file beside this one's chunk.
const configFiles = (): typeof ConfigFiles =>
  createRequire(import.meta.url)(`./config-files${extname(import.meta.url)}`) as typeof ConfigFiles;

/** Differs when room.yaml or an agent's file was changed, added or removed. */
export function settingsStamp(room: Room): string {
  const agents = listOrNothing(room.agentsDir).map((name) => `agents/${name}/agent.json`);
  return ['room.yaml', ...agents].map((path) => `${path} ${stampOf(room.at(path))}`).join('\n');
}

/** Differs when a file was replaced, or a name in a folder added or removed; `-` where nothing is. */
export function stampOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? '-' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
  } catch {
    // A link in a circle, say: it is one file's trouble, told where that file is read.
    return '?';
  }
}

function listOrNothing(dir: string): string[] {
  // Absent, or not for us to read: what is wrong with it is said where agents are read.
  return valueOr([], () => readdirSync(dir).sort());
}
