import { z } from 'zod';

export const httpUrl = z.url({ protocol: /^https?$/, error: 'an http or https URL' });
