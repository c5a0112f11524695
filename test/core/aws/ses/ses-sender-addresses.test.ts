import {
  BadRequestException,
  SESv2Client,
  TooManyRequestsException,
  type IdentityInfo,
  type ListEmailIdentitiesRequest,
  type ListEmailIdentitiesResponse,
} from '@aws-sdk/client-sesv2';
import { sesSenderAddresses } from '../../../../core/aws/ses/ses-sender-addresses.ts';
import { InvalidInput } from '../../../../core/runtime/domain-errors.ts';

/** The adapter over an SES that responds to each ListEmailIdentities with this function. */
const addressesAnswered = (answer: (request: ListEmailIdentitiesRequest) => ListEmailIdentitiesResponse) => {
  const client = new SESv2Client({ region: 'eu-west-1' });
  client.middlewareStack.add(
    () =>
      async ({ input }) => ({ response: {}, output: { ...answer(input as ListEmailIdentitiesRequest), $metadata: {} } }),
    { step: 'initialize' },
  );
  return sesSenderAddresses('Postrider', client);
};

/** An SES with these identities. A token is the position of the next identity. `pageSizes` records the requests. */
const sesWith = (names: readonly string[]) => {
  const identities = names.map((name): IdentityInfo => ({
    IdentityName: name,
    IdentityType: name.includes('@') ? 'EMAIL_ADDRESS' : 'DOMAIN',
    VerificationStatus: 'SUCCESS',
  }));
  const pageSizes: number[] = [];
  const addresses = addressesAnswered(({ NextToken = '0', PageSize = 0 }) => {
    pageSizes.push(PageSize);
    const end = Number(NextToken) + PageSize;
    return { EmailIdentities: identities.slice(Number(NextToken), end), NextToken: end < identities.length ? String(end) : undefined };
  });
  return { addresses, pageSizes };
};

const domains = (count: number) => Array.from({ length: count }, (_, index) => `d${index}.test`);
const address = (email: string) => ({ email, status: 'SUCCESS' });

describe('a page of sender addresses', () => {
  test('takes one request when SES lists no domains among the addresses', async () => {
    const { addresses, pageSizes } = sesWith(['a@x.test', 'b@x.test', 'c@x.test']);
    expect(await addresses.list(undefined, 2)).toEqual({ items: [address('a@x.test'), address('b@x.test')], next: '2' });
    expect(await addresses.list('2', 2)).toEqual({ items: [address('c@x.test')], next: undefined });
    expect(pageSizes).toEqual([2, 2]);
  });

  test('is filled by further requests, so that the next page misses no address', async () => {
    const { addresses, pageSizes } = sesWith(['a@x.test', 'd1.test', 'd2.test', 'b@x.test', 'c@x.test', 'd@x.test']);
    expect(await addresses.list(undefined, 3)).toEqual({ items: ['a@x.test', 'b@x.test', 'c@x.test'].map(address), next: '5' });
    expect(pageSizes).toEqual([3, 2]);
    expect(await addresses.list('5', 3)).toEqual({ items: [address('d@x.test')], next: undefined });
  });

  test('ends with the list of SES', async () => {
    const { addresses } = sesWith(['d1.test', 'a@x.test', 'd2.test']);
    expect(await addresses.list(undefined, 2)).toEqual({ items: [address('a@x.test')], next: undefined });
    expect(await sesWith([]).addresses.list(undefined, 2)).toEqual({ items: [], next: undefined });
  });

  test('takes at most five requests, and is then shorter and has a token', async () => {
    const { addresses, pageSizes } = sesWith(['a@x.test', ...domains(20), 'b@x.test']);
    expect(await addresses.list(undefined, 3)).toEqual({ items: [address('a@x.test')], next: '11' });
    expect(await addresses.list('11', 2)).toEqual({ items: [], next: '21' });
    expect(await addresses.list('21', 2)).toEqual({ items: [address('b@x.test')], next: undefined });
    expect(pageSizes).toEqual([3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
  });

  test('is refused with InvalidInput when SES refuses the token; another error is unchanged', async () => {
    const refused = new BadRequestException({ message: 'The specified NextToken is invalid.', $metadata: {} });
    const throttled = new TooManyRequestsException({ message: 'Rate exceeded', $metadata: {} });
    const refusing = addressesAnswered(() => {
      throw refused;
    });
    await expect(refusing.list('expired', 2)).rejects.toThrow(InvalidInput);
    await expect(refusing.list(undefined, 2)).rejects.toBe(refused);
    await expect(
      addressesAnswered(() => {
        throw throttled;
      }).list('valid', 2),
    ).rejects.toBe(throttled);
  });
});

describe('listVerifiedIdentities', () => {
  test('returns verified addresses and domains only', async () => {
    const addresses = addressesAnswered(() => ({
      EmailIdentities: [
        { IdentityName: 'verified.test', IdentityType: 'DOMAIN', VerificationStatus: 'SUCCESS' },
        { IdentityName: 'pending.test', IdentityType: 'DOMAIN', VerificationStatus: 'PENDING' },
        { IdentityName: 'verified@x.test', IdentityType: 'EMAIL_ADDRESS', VerificationStatus: 'SUCCESS' },
        { IdentityName: 'failed@x.test', IdentityType: 'EMAIL_ADDRESS', VerificationStatus: 'FAILED' },
      ],
    }));
    expect(await addresses.listVerifiedIdentities()).toEqual(['verified.test', 'verified@x.test']);
  });
});
