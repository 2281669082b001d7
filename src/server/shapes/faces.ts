// What passes between the face that runs a command and the faces that it starts: the API of a room, and the live terminal.
import type { OpenRoom, RoomClient, WorkerApi } from '../../app/open-room.ts';
import type { Access } from '../../core/config/agent-config.ts';
import type { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';

export interface ApiOptions {
  /** Null for the unix socket alone. */
  tcp: {
    host: string;
    /** Null for the usual one, or any other when that is taken. */
    port: number | null;
    /** Further names by which it may be called, and addresses of a proxy in front: `https://room.example`. */
    names: readonly string[];
    /** Files in PEM; `now` is epoch ms: with a certificate that ended before it the room is served on this machine alone. */
    tls: { certPath: string; keyPath: string; now: number } | null;
    /** The explicit word for a foreign interface without TLS. */
    withoutTls: boolean;
  } | null;
  /** Of taskroom. */
  version: string;
  /** Where the board was built; null for none. */
  boardDir: string | null;
}

/** A room whose loop holds it. */
export interface ServableRoom {
  runtime: OpenRoom;
  effects: Effects;
  /** How many changes of files the loop heard of. */
  heard(): number;
  /** What workers on other machines come to; null in a room that runs its turns itself. */
  workers: WorkerApi | null;
}

export interface ServedApi {
  /** Null where only the socket is served. */
  url: string | null;
  /** By which a proxy in front is called; null for none. */
  outside: string | null;
  socketPath: string;
  /** The person's token where it was made now: to be shown once. */
  newToken: string | null;
  tokenPath: string;
}

/** Its address is taken; until it is opened it says that it is not ready. */
export interface PreparedApi {
  /** @throws RoomError `unavailable`, `io` */
  open(room: ServableRoom): Promise<ServedApi>;
  /** What keeps other machines from it at that time, epoch ms; null for nothing. */
  trouble(now: number): RoomError | null;
  /** Whether it was opened or not. */
  close(): Promise<void>;
}

/** Answers one request of the Model Context Protocol; its body is unread. */
export type AnswerMcp = (
  request: Request,
  call: {
    runtime: OpenRoom;
    access: Access;
    /** Who calls, where that is known otherwise than by its own word. */
    client: string | null;
    version: string;
    maxBytes: number;
    report(error: Error): void;
  },
) => Promise<Response>;

export interface TopRequest {
  /** Only tasks of this scope. */
  scope: string | null;
  filter: string;
  withColors: boolean;
  effects: Effects;
  /** The daemon of a room on another machine; null beside the room. */
  elsewhere: { url: string; token: string } | null;
  /** Opens the room for as long as the caller likes; who opens it closes it. */
  openRoom(options: { readOnly: boolean }): Promise<RoomClient>;
}
