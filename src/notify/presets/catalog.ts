import type { Preset } from '../preset.ts';
import { generic } from './generic.ts';

/** Every preset there is. */
export const PRESETS: readonly Preset[] = [generic];
