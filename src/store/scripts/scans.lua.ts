import { defineScript } from './run-script.ts';
import { NOTE_STEP } from './steps.lua.ts';

/** Adds fields to a scan's record. Keys and arguments: those of `NOTE_STEP`. */
export const NOTE_SCAN = defineScript(`
${NOTE_STEP}
note(KEYS, ARGV)
return 1
`);
