import type { RegistrationError } from '../../contract/jmap/discovery.ts';
import { json, type HttpResponse } from '../platform/http.ts';

const notOffered: RegistrationError = {
  error: 'invalid_client_metadata',
  error_description: 'This server does not register clients by itself; ask its operator for a client id.',
};

/** POST /oauth/register. Registration is off: the discovery documents name no registration_endpoint (spec: "the field is omitted"). */
export const handler = (): Promise<HttpResponse> => Promise.resolve(json(404, notOffered));
