// The room as routes have it: the runtime that serves, and what the server keeps beside it between two requests.
import type { Effects } from '../../../effects.ts';
import type { OpenRoom, RoomApi, WorkerApi } from '../../../runtime.ts';
import type { AnswerMcp } from '../../shapes/served-api.ts';
import type { EventFeed } from './feed.ts';
import type { Links } from './links.ts';
import type { Metrics } from './metrics.ts';
import type { OpenRequests } from './open-requests.ts';

export interface HttpRoom {
  runtime: OpenRoom;
  effects: Effects;
  programVersion: string;
  mcp: AnswerMcp;
  workers: WorkerApi | null;
  /** Told of what is a bug. */
  report(error: unknown): void;
  api: RoomApi;
  feed: EventFeed;
  links: Links;
  open: OpenRequests;
  metrics: Metrics;
  /** Another one whenever anything that a list shows may have changed. */
  version(): string;
  /** The ETag of a list as of a version of the room. */
  listTags: Map<string, { version: string; etag: string }>;
  /** The room is taken in and watched. */
  isReady(): boolean;
  /** Aborted when the server closes. */
  closing: AbortSignal;
}
