import { Button, type ButtonProps } from '@cloudscape-design/components';
import { useRole } from '../../api/role.ts';
import { rightsOf, type MethodReference } from '../../page/may-open.ts';

/** A button for a method. It is disabled, with the reason, for a role that may not call the method. */
export const MethodButton = ({ needs, ...button }: ButtonProps & { readonly needs: MethodReference }) => <Button {...button} {...rightsOf(useRole(), needs)} />;
