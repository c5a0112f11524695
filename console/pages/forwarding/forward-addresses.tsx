import { Box, StatusIndicator, Textarea } from '@cloudscape-design/components';
import { useState } from 'react';
import type { ResponseOf } from '../../api/admin-api.tsx';
import type { FieldInput } from '../../parts/forms/field-input.tsx';
import { forwardingWords } from '../../words/pages/forwarding.ts';
import { typedAddresses } from '../groups/add-addresses.ts';
import { MemberLink } from '../groups/member-link.tsx';

export type Forwarding = ResponseOf<'aliases', 'GetForwarding'>['forwarding'];
export type ForwardAddress = Forwarding['addresses'][number];

const { states } = forwardingWords;

const AddressState = ({ address: { account_id: here, is_confirmed: isConfirmed, paused_reason: reason } }: { readonly address: ForwardAddress }) => {
  if (reason === undefined) {
    if (!isConfirmed) return <StatusIndicator type="pending">{states.waiting}</StatusIndicator>;
    return <StatusIndicator type="success">{here === undefined ? states.confirmed : states.here}</StatusIndicator>;
  }
  return (
    <>
      <StatusIndicator type="warning">{states.paused}</StatusIndicator>
      <Box variant="small" display="block">
        {reason}
      </Box>
    </>
  );
};

/** The addresses to which an account forwards, each with its state. */
export const ForwardAddresses = ({ addresses }: { readonly addresses: readonly ForwardAddress[] }) => (
  <>
    {addresses.map((address) => (
      <div key={address.email}>
        <div>
          <MemberLink kind={address.account_id === undefined ? 'OUTSIDE' : 'ACCOUNT'} id={address.account_id ?? address.email} text={address.email} />
        </div>
        <AddressState address={address} />
      </div>
    ))}
  </>
);

const Addresses: FieldInput = ({ value, onChange, isInvalid }) => {
  // The text keeps the blanks and the ends of lines that separate no addresses yet.
  const [text, setText] = useState(Array.isArray(value) ? value.join('\n') : '');
  return (
    <Textarea
      value={text}
      rows={5}
      spellcheck={false}
      invalid={isInvalid}
      onChange={({ detail }) => {
        setText(detail.value);
        const addresses = typedAddresses(detail.value);
        onChange(addresses.length > 0 ? addresses : undefined);
      }}
    />
  );
};

/** An input for a list of addresses. */
export const AddressesInput: FieldInput = (props) => <Addresses {...props} />;
