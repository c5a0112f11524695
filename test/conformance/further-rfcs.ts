import { requirementsOf } from './requirement.ts';

/** RFC 8887, JMAP over WebSocket. */
export const rfc8887 = requirementsOf('8887', {
  '3.0': { capability: ['MUST', 'The websocket capability has url and supportsPush.'] },
  '4.1': { subprotocol: ['MUST', 'The handshake agrees on the subprotocol jmap.'], authenticated: ['MUST', 'The handshake is authenticated.'] },
  '4.3.1': { 'text-only': ['MUST', 'A message is a Request, a push command or an error; what is neither is a RequestError.'] },
  '4.3.2': { 'request-id': ['MUST', 'The id of a Request comes back as requestId.'] },
  '4.3.4': { 'request-error': ['MUST', 'A RequestError has the problem details, and the requestId if it is known.'] },
  '4.3.5': {
    'push-enable': ['MUST', 'WebSocketPushEnable pushes the types that it names, null meaning all.'],
    'push-state': ['SHOULD', 'A pushState is answered at once with what changed since.'],
    'push-disable': ['MUST', 'WebSocketPushDisable ends the pushes.'],
  },
});

/** RFC 9404, JMAP Blob Management. */
export const rfc9404 = requirementsOf('9404', {
  '3.1': { 'account-capability': ['MUST', 'The account’s blob capability has its five properties, with true values.'] },
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
    lookup: ['MUST', 'Blob/lookup returns the ids of each type that refer to a blob.'],
    'lookup-unknown-type': ['MUST', 'A type that is not advertised is unknownDataType.'],
  },
});

/** RFC 9425, JMAP for Quotas. */
export const rfc9425 = requirementsOf('9425', {
  '4': { 'quota-properties': ['MUST', 'A Quota has its ten properties.'] },
  '4.3': { 'quota-changes': ['MUST', 'updatedProperties is used when nothing else changed, and null otherwise.'] },
  '4.4': { 'quota-filters': ['MUST', 'name, scope, resourceType and type filter; name and used sort.'] },
});

/** RFC 9610, JMAP for Contacts. */
export const rfc9610 = requirementsOf('9610', {
  '1.4.1': { capability: ['MUST', 'The contacts capability of an account has maxAddressBooksPerCard and mayCreateAddressBook.'] },
  '2': {
    'address-book': ['MUST', 'An AddressBook has its eight properties.'],
    'name-and-order': ['MUST', 'A name has 1 to 255 octets, and sortOrder is below 2^31.'],
    'one-default': ['MUST', 'At most one AddressBook of an account is the default; it is exactly one.'],
  },
  '2.3': {
    'has-contents': ['MUST', 'Without onDestroyRemoveContents, an AddressBook with cards is addressBookHasContents.'],
    'remove-contents': ['MUST', 'With it, cards that are in no other AddressBook are destroyed.'],
    'set-default': ['MUST', 'onSuccessSetIsDefault sets the default when all changes succeed; it may be a creation id.'],
    'ignored-default': ['MUST', 'An unknown id in onSuccessSetIsDefault is ignored without an error.'],
    'default-reported': ['MUST', 'AddressBooks whose isDefault changed are in created or updated.'],
    'share-with': ['MUST', 'shareWith without the right mayShare is forbidden.'],
    subscribe: ['SHOULD', 'A member subscribes to an AddressBook and is not subscribed to those of shared accounts by default.'],
  },
  '3': {
    'contact-card': ['MUST', 'A ContactCard is a JSContact Card with id and addressBookIds; unknown properties are kept.'],
    'one-card-a-uid': ['MUST', 'Two cards of an account never have the same uid.'],
    'in-an-address-book': ['MUST', 'A card is in at least one AddressBook, and the values of addressBookIds are true.'],
    'media-blob': ['MUST', 'A Media may have a blobId instead of a uri; mediaType is returned with it.'],
    'data-uri': ['SHOULD', 'A data URI is returned as a blobId.'],
  },
  '3.2': { changes: ['MUST', 'ContactCard/changes returns created, updated and destroyed cards.'] },
  '3.3.1': { filters: ['MUST', 'All conditions filter; one without properties is true; all properties and all words must match.'] },
  '3.3.2': { sorts: ['MUST', 'created and updated sort.'], 'name-sorts': ['SHOULD', 'name/given, name/surname and name/surname2 sort.'] },
  '3.4': { 'query-changes': ['MUST', 'ContactCard/queryChanges returns the changes of a query.'] },
  '3.5': { 'photo-is-image': ['MUST', 'A photo that is no recognized image is refused.'] },
  '3.6': { copy: ['MUST', 'ContactCard/copy copies a card to another account.'] },
  '5': { 'state-change': ['MUST', 'Both types have states that are pushed.'] },
  '6': { access: ['MUST', 'Only members of the account read its cards, and only those with the right change them.'] },
});
