// What operations ask of the mirrors of a room. References are an id, a unique prefix of one, or a file name.
import type {
  LinkedJson,
  MirrorJson,
  SettlementJson,
  SettleWish,
  SyncProgress,
  SyncReportJson,
} from '../core/chore-shapes.ts';

export interface SyncWish {
  pull: boolean;
  push: boolean;
  full: boolean;
  dryRun: boolean;
  force: boolean;
  sameRoom: boolean;
  newRoom: boolean;
  onProgress?(progress: SyncProgress): void;
}

export interface MirrorPort {
  /** Chores that mirror something and are not paused, in alphabetical order. */
  sources(): string[];
  /** @throws RoomError `not_found`; what goes wrong on the way is in the report */
  sync(chore: string, wish: SyncWish, signal: AbortSignal): Promise<SyncReportJson>;
  list(): MirrorJson[];
  /** What this process lacks to reach the chore's tracker, as in "a GitHub token"; null for nothing. @throws RoomError as providers do */
  lacks(chore: string): Promise<string | null>;
  /** @throws RoomError `not_found`, `conflict` when it changed meanwhile or was settled otherwise, `bad_input`, `refused` */
  settle(ref: string, wish: SettleWish): Promise<SettlementJson>;
  /** @throws RoomError `not_found`, `conflict`, `bad_input`, and as providers throw */
  link(ref: string, url: string, chore?: string): Promise<LinkedJson>;
  /** @throws RoomError `not_found` */
  unlink(ref: string): Promise<LinkedJson>;
  /** @throws RoomError `not_found`, `conflict`, `refused`, and as providers throw */
  publish(ref: string, chore: string): Promise<LinkedJson>;
}
