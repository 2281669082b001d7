// JSON as it is printed: what would steer a terminal or turn a line round stands as an escape, which reads as the same value.

// JSON.stringify itself escapes those below U+0020, and leaves these. In JSON they stand in texts alone.
const STEERING = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

export function printableJson(json: string): string {
  return json.replace(STEERING, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
