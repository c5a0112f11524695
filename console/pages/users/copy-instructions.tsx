import { CopyToClipboard } from '@cloudscape-design/components';
import type { ResponseOf } from '../../api/admin-api.tsx';
import { useConfig, useSessionUrl } from '../../page/config-context.tsx';
import { signInOf } from '../../parts/objects/user-names.ts';
import { connectWords } from '../../words/pages/operations.ts';
import { words } from '../../words/words.ts';
import type { PasswordWay } from './temporary-password.tsx';

type CopyInstructionsProps = {
  readonly overview: Pick<ResponseOf<'users', 'GetUserOverview'>, 'user' | 'accounts'>;
  /** The way of the temporary password to the person. Default: not known. */
  readonly way?: PasswordWay;
};

/** A button that copies what a person needs to read their mail, as text to send. There is no secret in it. */
export const CopyInstructions = ({ overview: { user, accounts }, way }: CopyInstructionsProps) => {
  const server = useSessionUrl();
  const { mfa, webmailUrl } = useConfig();
  const addresses = accounts.map(({ email }) => email).join(', ') || connectWords.noAddress;
  return (
    <CopyToClipboard
      textToCopy={connectWords.message({ user, addresses, webmailUrl, server, signIn: signInOf(user), way: way ?? 'unknown', mfa })}
      copyButtonText={connectWords.copyAll}
      copySuccessText={words.copy.done}
      copyErrorText={words.copy.failed}
    />
  );
};
