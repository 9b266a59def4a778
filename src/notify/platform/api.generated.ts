// Generated from apis/webhooks.v1.json by `npm run generate`. Do not edit.

/** A webhook definition. */
export interface WebhooksIntegration {
  /** Name that notifications refer to. */
  readonly name: string;
  /** Address that is called. */
  readonly url: string;
  /** Headers of the call, as JSON text of an object; null for none. */
  readonly custom_headers?: string | null;
  /** How the payload is encoded. */
  readonly encode_as?: 'json' | 'form';
  /** Payload template, as JSON text; null for the platform's default payload. */
  readonly payload?: string | null;
}

/** Changes to a webhook definition; what is left out stays. */
export interface WebhooksIntegrationUpdateRequest {
  /** New name. */
  readonly name?: string;
  /** New address. */
  readonly url?: string;
  /** Headers of the call, as JSON text of an object; null for none. */
  readonly custom_headers?: string | null;
  /** How the payload is encoded. */
  readonly encode_as?: 'json' | 'form';
  /** Payload template, as JSON text; null for the platform's default payload. */
  readonly payload?: string | null;
}

/** A custom variable, as it is created. */
export interface WebhooksIntegrationCustomVariable {
  /** Name that payloads refer to. */
  readonly name: string;
  /** Value. */
  readonly value: string;
  /** Whether the value is kept out of every answer. */
  readonly is_secret: boolean;
}

/** A custom variable, as it is answered. */
export interface WebhooksIntegrationCustomVariableResponse {
  /** Name that payloads refer to. */
  readonly name?: string;
  /** Value; absent when it is secret. */
  readonly value?: string;
  /** Whether the value is kept out of every answer. */
  readonly is_secret?: boolean;
}

/** Changes to a custom variable; what is left out stays. */
export interface WebhooksIntegrationCustomVariableUpdateRequest {
  /** New name. */
  readonly name?: string;
  /** New value. */
  readonly value?: string;
  /** Whether the value is kept out of every answer. */
  readonly is_secret?: boolean;
}

/** An error answer. */
export interface ApiErrorResponse {
  /** What went wrong. */
  readonly errors?: readonly string[];
}

/** Parameters, request and answer of each method, by its id. */
export interface WebhookMethods {
  /** Creates a webhook definition. Permission: create_webhooks. */
  'webhooks.definitions.create': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: WebhooksIntegration;
    readonly response: WebhooksIntegration;
  };
  /** Reads a webhook definition. Permission: integrations_read. */
  'webhooks.definitions.get': {
    readonly params: {
      readonly webhook_name: string;
    };
    readonly body: undefined;
    readonly response: WebhooksIntegration;
  };
  /** Changes a webhook definition. Permission: manage_integrations. */
  'webhooks.definitions.update': {
    readonly params: {
      readonly webhook_name: string;
    };
    readonly body: WebhooksIntegrationUpdateRequest;
    readonly response: WebhooksIntegration;
  };
  /** Deletes a webhook definition. Permission: manage_integrations. */
  'webhooks.definitions.delete': {
    readonly params: {
      readonly webhook_name: string;
    };
    readonly body: undefined;
    readonly response: undefined;
  };
  /** Creates a custom variable. Permission: manage_integrations. */
  'webhooks.customVariables.create': {
    readonly params: Readonly<Record<string, never>>;
    readonly body: WebhooksIntegrationCustomVariable;
    readonly response: WebhooksIntegrationCustomVariableResponse;
  };
  /** Reads a custom variable. Permission: integrations_read. */
  'webhooks.customVariables.get': {
    readonly params: {
      readonly custom_variable_name: string;
    };
    readonly body: undefined;
    readonly response: WebhooksIntegrationCustomVariableResponse;
  };
  /** Changes a custom variable. Permission: manage_integrations. */
  'webhooks.customVariables.update': {
    readonly params: {
      readonly custom_variable_name: string;
    };
    readonly body: WebhooksIntegrationCustomVariableUpdateRequest;
    readonly response: WebhooksIntegrationCustomVariableResponse;
  };
  /** Deletes a custom variable. Permission: manage_integrations. */
  'webhooks.customVariables.delete': {
    readonly params: {
      readonly custom_variable_name: string;
    };
    readonly body: undefined;
    readonly response: undefined;
  };
}
