import { genericPreset } from './generic.ts';

/** A payload template for a kind of receiver. */
export interface Preset {
  readonly name: string;
  readonly description: string;
  readonly encodeAs: 'json' | 'form';
  readonly payload: string;
}

/** Every file of this folder is listed here; a test holds the list against the folder. */
export const PRESETS: readonly Preset[] = [genericPreset];
