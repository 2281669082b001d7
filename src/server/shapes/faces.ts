// The interfaces between a command and the faces that it starts: the API of a room, and the live terminal.
import type { OpenRoom, RoomClient, WebhookReceiver, WorkerApi } from '../../app/open-room.ts';
import type { Access } from '../../core/config/agent-config.ts';
import type { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';

export interface ApiOptions {
  /** Null for the unix socket alone. */
  tcp: {
    host: string;
    port: number | null; // Null for 7420, or any other when that is taken.
    names: readonly string[]; // Further names, and addresses of a proxy in front: `https://room.example`.
    /** Files in PEM; with a certificate that ended before `now` (epoch ms) only this machine is served. */
    tls: { certPath: string; keyPath: string; now: number } | null;
    withoutTls: boolean;
  } | null;
  version: string;
  boardDir: string | null; // The built board; null for none.
}

export interface ServableRoom {
  runtime: OpenRoom;
  effects: Effects;
  heard(): number; // The number of file changes that the loop heard of.
  workers: WorkerApi | null; // Null in a room that runs its turns itself.
  webhooks: WebhookReceiver | null; // Null where no loop would fetch what they name.
}

export interface ServedApi {
  url: string | null; // Null where only the socket is served.
  outside: string | null; // The address of a proxy in front.
  socketPath: string;
  newToken: string | null; // The person's token if it was made now, to be shown once.
  tokenPath: string;
}

/** An API whose address is taken; until it is opened it answers that it is not ready. */
export interface PreparedApi {
  /** @throws RoomError `unavailable`, `io` */
  open(room: ServableRoom): Promise<ServedApi>;
  trouble(now: number): RoomError | null; // What keeps other machines away at that time, epoch ms.
  close(): Promise<void>;
}

/** Answers one request of the Model Context Protocol, whose body is unread. */
export type AnswerMcp = (
  request: Request,
  call: {
    runtime: OpenRoom;
    access: Access;
    client: string | null; // The name of the caller if its token says it.
    version: string;
    maxBytes: number;
    report(error: Error): void;
    effects: Effects;
    heard(): string; // Other whenever something in the room may have changed.
    closing: AbortSignal; // Aborted when the server closes.
  },
) => Promise<Response>;

/** The Model Context Protocol on standard input and output. */
export interface McpRequest {
  access: Access;
  dialect: string; // As it was given.
  version: string;
  signal: AbortSignal;
  report(text: string): void; // Is given what is no answer: for standard error.
  followed: Effects | null; // Null where changes of the room can't be told: in a turn, and for a room elsewhere.
}

export interface TopRequest {
  scope: string | null;
  filter: string;
  withColors: boolean;
  effects: Effects;
  /** The daemon of a room on another machine; null beside the room. */
  remote: { url: string; token: string } | null;
  openRoom(options: { readOnly: boolean }): Promise<RoomClient>; // The caller closes the room.
  /** Opens the file in the person's editor, which has the terminal meanwhile. @throws RoomError */
  editTask(ref: string): Promise<void>;
}
