import { CodedError } from '../model/errors.ts';

/**
 * - `config-unreadable`: the named file does not exist or cannot be opened.
 * - `config-syntax`: not YAML.
 * - `config-invalid`: one or more values do not fit the schema; the message lists each with its path.
 * - `secret-unavailable`: a secret's environment variable is unset or its file cannot be read.
 */
export type ConfigErrorCode = 'config-unreadable' | 'config-syntax' | 'config-invalid' | 'secret-unavailable';

export class ConfigError extends CodedError<ConfigErrorCode> {}
