import { requirementsOf } from './requirement.ts';

/** RFC 8887, JMAP over WebSocket. */
export const rfc8887 = requirementsOf('8887', {
  '3.0': {
    'capability': ['MUST', 'The websocket capability has url and supportsPush.'],
  },
  '4.1': {
    'subprotocol': ['MUST', 'The handshake agrees on the subprotocol jmap.'],
    'authenticated': ['MUST', 'The handshake is authenticated.'],
  },
  '4.3.1': {
    'text-only': ['MUST', 'A message is a Request, a push command or an error; what is neither is a RequestError.'],
  },
  '4.3.2': {
    'request-id': ['MUST', 'The id of a Request comes back as requestId.'],
  },
  '4.3.4': {
    'request-error': ['MUST', 'A RequestError has the problem details, and the requestId if it is known.'],
  },
  '4.3.5': {
    'push-enable': ['MUST', 'WebSocketPushEnable pushes the types that it names, null meaning all.'],
    'push-state': ['SHOULD', 'A pushState is answered at once with what changed since.'],
    'push-disable': ['MUST', 'WebSocketPushDisable ends the pushes.'],
  },
});

/** RFC 9404, JMAP Blob Management. */
export const rfc9404 = requirementsOf('9404', {
  '3.1': {
    'account-capability': ['MUST', 'The account’s blob capability has its five properties, with true values.'],
  },
  '4.1': {
    'upload-sources': ['MUST', 'Blob/upload joins text, base64 and ranges of blobs in their order.'],
    'upload-limits': ['MUST', 'Blobs beyond maxSizeBlobSet or maxDataSources are refused.'],
    'upload-response': ['MUST', 'created has id, type and size; creation ids resolve in later calls.'],
    'upload-bad-source': ['MUST', 'An unknown blob, a range beyond its end and invalid base64 are set errors.'],
  },
  '4.2': {
    'get-properties': ['MUST', 'Blob/get returns data, digests and size, and data and size by default.'],
    'get-range': ['MUST', 'offset and length select octets; beyond the end isTruncated is true.'],
    'get-encoding-problem': ['MUST', 'data:asText of octets that are no UTF-8 is null, with isEncodingProblem.'],
    'get-digest': ['MUST', 'Digests are of the selected octets, by the advertised algorithms.'],
  },
  '4.3': {
    'lookup': ['MUST', 'Blob/lookup returns the ids of each type that refer to a blob.'],
    'lookup-unknown-type': ['MUST', 'A type that is not advertised is unknownDataType.'],
  },
});

/** RFC 9425, JMAP for Quotas. */
export const rfc9425 = requirementsOf('9425', {
  '4': {
    'quota-properties': ['MUST', 'A Quota has its ten properties.'],
  },
  '4.3': {
    'quota-changes': ['MUST', 'updatedProperties is used when nothing else changed, and null otherwise.'],
  },
  '4.4': {
    'quota-filters': ['MUST', 'name, scope, resourceType and type filter; name and used sort.'],
  },
});
