// The interfaces between a command and the faces that it starts: the API of a room, and the live terminal.
import type { OpenRoom, RoomClient, WebhookReceiver, WorkerApi } from '../../app/open-room.ts';
import type { Access } from '../../core/config/agent-config.ts';
import type { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';

export interface ApiOptions {
  /** Null for the unix socket alone. */
  tcp: {
    host: string;
    /** Null for 7420, or any other when that is taken. */
    port: number | null;
    /** Further names, and addresses of a proxy in front: `https://room.example`. */
    names: readonly string[];
    /** Files in PEM; with a certificate that ended before `now` (epoch ms) only this machine is served. */
    tls: { certPath: string; keyPath: string; now: number } | null;
    withoutTls: boolean;
  } | null;
  version: string;
  /** The built board; null for none. */
  boardDir: string | null;
}

export interface ServableRoom {
  runtime: OpenRoom;
  effects: Effects;
  /** The number of file changes that the loop heard of. */
  heard(): number;
  /** Null in a room that runs its turns itself. */
  workers: WorkerApi | null;
  /** Null where no loop would fetch what they name. */
  webhooks: WebhookReceiver | null;
}

export interface ServedApi {
  /** Null where only the socket is served. */
  url: string | null;
  /** The address of a proxy in front. */
  outside: string | null;
  socketPath: string;
  /** The person's token if it was made now, to be shown once. */
  newToken: string | null;
  tokenPath: string;
}

/** An API whose address is taken; until it is opened it answers that it is not ready. */
export interface PreparedApi {
  /** @throws RoomError `unavailable`, `io` */
  open(room: ServableRoom): Promise<ServedApi>;
  /** What keeps other machines away at that time, epoch ms. */
  trouble(now: number): RoomError | null;
  close(): Promise<void>;
}

/** Answers one request of the Model Context Protocol, whose body is unread. */
export type AnswerMcp = (
  request: Request,
  call: {
    runtime: OpenRoom;
    access: Access;
    /** The name of the caller if its token says it. */
    client: string | null;
    version: string;
    maxBytes: number;
    report(error: Error): void;
  },
) => Promise<Response>;

/** The Model Context Protocol on standard input and output. */
export interface McpRequest {
  access: Access;
  /** As it was given. */
  dialect: string;
  version: string;
  signal: AbortSignal;
  /** Is given what is no answer: for standard error. */
  report(text: string): void;
}

export interface TopRequest {
  scope: string | null;
  filter: string;
  withColors: boolean;
  effects: Effects;
  /** The daemon of a room on another machine; null beside the room. */
  elsewhere: { url: string; token: string } | null;
  /** The caller closes the room. */
  openRoom(options: { readOnly: boolean }): Promise<RoomClient>;
  /** Opens the file in the person's editor, which has the terminal meanwhile. @throws RoomError */
  editTask(ref: string): Promise<void>;
}
