import * as fs from 'node:fs';
import { promisify } from 'node:util';

/** Calls of `node:fs` as promises. Loading `node:fs/promises`, with its streams, takes longer than reading a small lockfile. */
export const close = promisify(fs.close);
export const fstat = promisify(fs.fstat);
export const open = promisify(fs.open);
export const read = promisify(fs.read);
export const readdir = promisify(fs.readdir);
export const realpath = promisify(fs.realpath.native);
export const stat = promisify(fs.stat);
