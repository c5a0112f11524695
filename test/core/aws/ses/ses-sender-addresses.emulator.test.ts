import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { sesEmailProvider } from '../../../../core/aws/ses/ses-email-provider.ts';
import { sesSenderAddresses } from '../../../../core/aws/ses/ses-sender-addresses.ts';
import { InvalidInput } from '../../../../core/runtime/domain-errors.ts';
import { senderAddressesSuite } from '../../../port-suites/sender-addresses-suite.ts';
import { followVerificationLink } from '../../../support/follow-verification-link.ts';
import { withMailNetwork } from '../../../support/mail-network.ts';

const network = withMailNetwork();

describe('the sender addresses over SES', () => {
  senderAddressesSuite(
    async () => {
      const client = new SESv2Client({ endpoint: network.sesApi });
      await sesEmailProvider('Postrider', client).createDomain('list.test');
      return { addresses: sesSenderAddresses('Postrider', client), verify: (email) => followVerificationLink(network.outbox, email) };
    },
    async (email) => {
      await new SESv2Client({ endpoint: network.sesApi }).send(new CreateEmailIdentityCommand({ EmailIdentity: email }));
    },
  );

  test('refuses text that is not an address, with InvalidInput', async () => {
    await expect(sesSenderAddresses('Postrider', new SESv2Client({ endpoint: network.sesApi })).register('no address')).rejects.toThrow(InvalidInput);
  });
});
