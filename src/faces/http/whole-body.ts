// Answers whose body is known in full keep it beside them: as the body of a `Response` a list of megabytes would be copied,
// and read back through a stream.

/** In pieces where it is long. */
export type WholeBody = string | Uint8Array | readonly Uint8Array[];

const bodies = new WeakMap<Response, WholeBody>();

/** An answer with this body, which {@link wholeBodyOf} tells. */
export function wholeAnswer(
  body: WholeBody,
  init: { status: number; headers: Record<string, string> },
): Response {
  const response = new Response(null, init);
  bodies.set(response, body);
  return response;
}

/** In pieces; null for an answer that is none of {@link wholeAnswer}. */
export function wholeBodyOf(response: Response): readonly (string | Uint8Array)[] | null {
  const body = bodies.get(response);
  if (body === undefined) return null;
  return Array.isArray(body) ? (body as readonly Uint8Array[]) : [body as string | Uint8Array];
}
