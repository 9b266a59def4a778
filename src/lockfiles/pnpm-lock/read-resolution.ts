import type { LineCursor } from '../syntax/line-cursor.ts';
import { UnknownLayout } from '../syntax/unknown-layout.ts';
import {
  endOfMapping,
  flowMapping,
  keyEnd,
  keyText,
  leaveValue,
  rawValue,
  scalar,
} from '../syntax/yaml-lines.ts';
import type { Resolution } from './document.ts';

/** Reads `resolution`, on one line or on the lines below, and moves past it. */
export function readResolution(cursor: LineCursor, colon: number): Resolution {
  const { indent } = cursor;
  const value = rawValue(cursor, colon);
  cursor.advance();
  if (value !== '') {
    if (cursor.indent > indent) throw new UnknownLayout(`line ${cursor.line}`);
    return parseResolution(value);
  }
  const members: [string, string][] = [];
  const inner = cursor.indent;
  while (cursor.indent === inner && inner > indent) {
    const at = keyEnd(cursor);
    const member = rawValue(cursor, at);
    if (member === '' || member.startsWith('[')) cursor.skipDeeper(inner);
    else {
      members.push([keyText(cursor, at), scalar(member)]);
      leaveValue(cursor);
    }
  }
  if (inner > indent) endOfMapping(cursor, inner);
  return Object.fromEntries(members);
}

const INTEGRITY = /^\{integrity: \w[\w+/=-]*\}$/;

function parseResolution(value: string): Resolution {
  // The usual form.
  if (INTEGRITY.test(value)) return { integrity: value.slice(12, -1) };
  return Object.fromEntries(flowMapping(value));
}
