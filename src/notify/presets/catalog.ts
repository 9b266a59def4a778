import type { Preset } from '../preset.ts';
import { genericPreset } from './generic.ts';

/** Every file of this folder is listed here; a test holds the list against the folder. */
export const PRESETS: readonly Preset[] = [genericPreset];
